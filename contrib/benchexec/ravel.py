"""BenchExec's tool-info module for ravel.

Copy it into benchexec/tools, or put the project's folder on PYTHONPATH and name the tool `contrib.benchexec.ravel`.
The verdict is ravel's last line, `RESULT: ...`, in BenchExec's own words.
"""

import benchexec.result as result
from benchexec.tools.sv_benchmarks_util import ILP32, LP64, get_data_model_from_task
from benchexec.tools.template import BaseTool2


class Tool(BaseTool2):
    """Ravel: can a concurrent program go wrong, in any interleaving, on any input?"""

    REQUIRED_PATHS = ["ravel"]

    def executable(self, tool_locator):
        return tool_locator.find_executable("ravel")

    def name(self):
        return "Ravel"

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="ravel")

    def cmdline(self, executable, options, task, rlimits):
        words = [executable, "verify", *options]
        if task.property_file:
            words += ["--prp", task.property_file]
        data_model = get_data_model_from_task(task, {ILP32: "ilp32", LP64: "lp64"})
        if data_model and "--data-model" not in options:
            words += ["--data-model", data_model]
        # Ravel's own limits end it a little before BenchExec does, so that it can say what it has reached.
        if rlimits.cputime and "--time-limit" not in options:
            words += ["--time-limit", f"{max(1, int(rlimits.cputime * 0.95))}s"]
        if rlimits.memory and "--memory-limit" not in options:
            words += ["--memory-limit", str(int(rlimits.memory * 0.9))]
        return [*words, *task.input_files_or_identifier]

    def determine_result(self, run):
        for line in reversed(list(run.output)):
            if line.startswith("RESULT: "):
                word = line.removeprefix("RESULT: ").strip()
                if word == "true":
                    return result.RESULT_TRUE_PROP
                if word.startswith("false("):
                    return word
                if word == "error":
                    return result.RESULT_ERROR
                return result.RESULT_UNKNOWN
        if run.was_timeout:
            return result.RESULT_TIMEOUT
        return result.RESULT_ERROR
