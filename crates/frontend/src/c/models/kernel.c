/* What `ravel/lkmm.h` needs of the Linux kernel and C cannot say in one step, for `--model linux-kernel`. A spin lock is a word that is 0 while nobody has it; its
 * orders are words of the kernel, by the numbers of that header. */

enum { KERNEL_FAILED = 0x202, KERNEL_LOCK = 0x203 };

/* Waits until the lock is free; an attempt in vain is no event. */
void __lkmm_spin_lock(void *lock)
{
    u32 old;
    __ravel_await((u32 *)lock, old, old == 0, 1, KERNEL_LOCK);
    __ravel_mark_locked(lock);
}

/* Fails only if it finds the lock taken. */
int __lkmm_spin_trylock(void *lock)
{
    u32 old;
    __ravel_try((u32 *)lock, old, old == 0, 1, KERNEL_LOCK);
    if (old != 0)
        return 0;
    __ravel_mark_locked(lock);
    return 1;
}

/* Whether it added: a full barrier if so. */
int __lkmm_add_unless(void *counter, int value, int unless)
{
    u32 old;
    __ravel_try((u32 *)counter, old, old != (u32)unless, old + (u32)value, SEQ_CST, KERNEL_FAILED);
    return old != (u32)unless;
}

/* Likewise, and no barrier. */
int __lkmm_add_unless_relaxed(void *counter, int value, int unless)
{
    u32 old;
    __ravel_try((u32 *)counter, old, old != (u32)unless, old + (u32)value, RELAXED, KERNEL_FAILED);
    return old != (u32)unless;
}
