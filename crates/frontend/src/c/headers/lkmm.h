/*
 * Primitives of the Linux kernel for C programs under `ravel verify --model linux-kernel`.
 *
 * Each makes the events that the C dialect of litmus tests has for it (linux-kernel.def): relaxed accesses are marked with ONCE, acquire and
 * release fences are smp_rmb and smp_wmb, what is seq_cst is a full barrier, and an atomic that is one orders only if it
 * writes. What C11 has no word for is said by orders with numbers of ours, which no other memory model knows: under those such a program is
 * refused by name. Other compilers than ravel's front end do not know the numbers either.
 */
#ifndef RAVEL_LKMM_H
#define RAVEL_LKMM_H

/* What C11 has no word for. */
#define ravel_order_noreturn 0x201
#define ravel_order_failed 0x202
#define ravel_order_spin_lock 0x203
#define ravel_order_spin_unlock 0x204
#define ravel_order_barrier 0x205
#define ravel_order_before_atomic 0x206
#define ravel_order_after_atomic 0x207
#define ravel_order_after_spinlock 0x208
#define ravel_order_after_unlock_lock 0x209
#define ravel_order_after_srcu_read_unlock 0x20a
#define ravel_order_rcu_read_lock 0x20b
#define ravel_order_rcu_read_unlock 0x20c
#define ravel_order_synchronize_rcu 0x20d
#define ravel_order_srcu_read_lock 0x20e
#define ravel_order_srcu_read_unlock 0x20f
#define ravel_order_synchronize_srcu 0x210

typedef struct {
    int counter;
} atomic_t;

typedef struct {
    int locked;
} spinlock_t;

typedef spinlock_t raw_spinlock_t;

struct srcu_struct {
    int index;
};

#define ATOMIC_INIT(value) { (value) }
#define __SPIN_LOCK_UNLOCKED(name) { 0 }
#define DEFINE_SPINLOCK(name) spinlock_t name = { 0 }
#define DEFINE_SRCU(name) struct srcu_struct name = { 0 }
#define DEFINE_STATIC_SRCU(name) static struct srcu_struct name = { 0 }

/* Marked accesses. */
#define READ_ONCE(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, value) __atomic_store_n(&(x), (value), __ATOMIC_RELAXED)
#define smp_load_acquire(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define smp_store_release(p, value) __atomic_store_n((p), (value), __ATOMIC_RELEASE)
#define rcu_dereference(x) READ_ONCE(x)
#define rcu_dereference_protected(x) READ_ONCE(x)
#define lockless_dereference(x) READ_ONCE(x)
#define rcu_assign_pointer(x, value) smp_store_release(&(x), (value))

/* Barriers. */
#define smp_mb() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_rmb() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_wmb() __atomic_thread_fence(__ATOMIC_RELEASE)
#define smp_store_mb(x, value) do { WRITE_ONCE(x, value); smp_mb(); } while (0)
#define barrier() __atomic_thread_fence(ravel_order_barrier)
#define smp_mb__before_atomic() __atomic_thread_fence(ravel_order_before_atomic)
#define smp_mb__after_atomic() __atomic_thread_fence(ravel_order_after_atomic)
#define smp_mb__after_spinlock() __atomic_thread_fence(ravel_order_after_spinlock)
#define smp_mb__after_unlock_lock() __atomic_thread_fence(ravel_order_after_unlock_lock)
#define smp_mb__after_srcu_read_unlock() __atomic_thread_fence(ravel_order_after_srcu_read_unlock)

/* Exchanges of any word. */
#define xchg(p, value) __atomic_exchange_n((p), (value), __ATOMIC_SEQ_CST)
#define xchg_relaxed(p, value) __atomic_exchange_n((p), (value), __ATOMIC_RELAXED)
#define xchg_acquire(p, value) __atomic_exchange_n((p), (value), __ATOMIC_ACQUIRE)
#define xchg_release(p, value) __atomic_exchange_n((p), (value), __ATOMIC_RELEASE)

/* The result is what was found. Of one that fails only the read is there. */
#define ravel_cmpxchg(p, old, new_, order)                                                             \
    ({                                                                                                 \
        __typeof__(*(p)) ravel_found = (old);                                                          \
        __atomic_compare_exchange_n((p), &ravel_found, (new_), 0, (order), ravel_order_failed);        \
        ravel_found;                                                                                   \
    })
#define cmpxchg(p, old, new_) ravel_cmpxchg(p, old, new_, __ATOMIC_SEQ_CST)
#define cmpxchg_relaxed(p, old, new_) ravel_cmpxchg(p, old, new_, __ATOMIC_RELAXED)
#define cmpxchg_acquire(p, old, new_) ravel_cmpxchg(p, old, new_, __ATOMIC_ACQUIRE)
#define cmpxchg_release(p, old, new_) ravel_cmpxchg(p, old, new_, __ATOMIC_RELEASE)

/* Atomics that only read or only write, and exchanges of them. */
#define atomic_read(a) READ_ONCE((a)->counter)
#define atomic_set(a, value) WRITE_ONCE((a)->counter, value)
#define atomic_read_acquire(a) smp_load_acquire(&(a)->counter)
#define atomic_set_release(a, value) smp_store_release(&(a)->counter, value)
#define atomic_xchg(a, value) xchg(&(a)->counter, value)
#define atomic_cmpxchg(a, old, new_) cmpxchg(&(a)->counter, old, new_)
#define atomic_xchg_relaxed(a, value) xchg_relaxed(&(a)->counter, value)
#define atomic_cmpxchg_relaxed(a, old, new_) cmpxchg_relaxed(&(a)->counter, old, new_)
#define atomic_xchg_acquire(a, value) xchg_acquire(&(a)->counter, value)
#define atomic_cmpxchg_acquire(a, old, new_) cmpxchg_acquire(&(a)->counter, old, new_)
#define atomic_xchg_release(a, value) xchg_release(&(a)->counter, value)
#define atomic_cmpxchg_release(a, old, new_) cmpxchg_release(&(a)->counter, old, new_)

/* Atomics that compute, without a result: no ordering. */
#define atomic_add(value, a) ((void)__atomic_fetch_add(&(a)->counter, (value), ravel_order_noreturn))
#define atomic_sub(value, a) ((void)__atomic_fetch_sub(&(a)->counter, (value), ravel_order_noreturn))
#define atomic_and(value, a) ((void)__atomic_fetch_and(&(a)->counter, (value), ravel_order_noreturn))
#define atomic_or(value, a) ((void)__atomic_fetch_or(&(a)->counter, (value), ravel_order_noreturn))
#define atomic_xor(value, a) ((void)__atomic_fetch_xor(&(a)->counter, (value), ravel_order_noreturn))
#define atomic_inc(a) atomic_add(1, a)
#define atomic_dec(a) atomic_sub(1, a)

/* Atomics that compute, with a result. */
#define atomic_add_return(value, a) __atomic_add_fetch(&(a)->counter, (value), __ATOMIC_SEQ_CST)
#define atomic_add_return_relaxed(value, a) __atomic_add_fetch(&(a)->counter, (value), __ATOMIC_RELAXED)
#define atomic_add_return_acquire(value, a) __atomic_add_fetch(&(a)->counter, (value), __ATOMIC_ACQUIRE)
#define atomic_add_return_release(value, a) __atomic_add_fetch(&(a)->counter, (value), __ATOMIC_RELEASE)
#define atomic_sub_return(value, a) __atomic_sub_fetch(&(a)->counter, (value), __ATOMIC_SEQ_CST)
#define atomic_sub_return_relaxed(value, a) __atomic_sub_fetch(&(a)->counter, (value), __ATOMIC_RELAXED)
#define atomic_sub_return_acquire(value, a) __atomic_sub_fetch(&(a)->counter, (value), __ATOMIC_ACQUIRE)
#define atomic_sub_return_release(value, a) __atomic_sub_fetch(&(a)->counter, (value), __ATOMIC_RELEASE)
#define atomic_fetch_add(value, a) __atomic_fetch_add(&(a)->counter, (value), __ATOMIC_SEQ_CST)
#define atomic_fetch_add_relaxed(value, a) __atomic_fetch_add(&(a)->counter, (value), __ATOMIC_RELAXED)
#define atomic_fetch_add_acquire(value, a) __atomic_fetch_add(&(a)->counter, (value), __ATOMIC_ACQUIRE)
#define atomic_fetch_add_release(value, a) __atomic_fetch_add(&(a)->counter, (value), __ATOMIC_RELEASE)
#define atomic_fetch_sub(value, a) __atomic_fetch_sub(&(a)->counter, (value), __ATOMIC_SEQ_CST)
#define atomic_fetch_sub_relaxed(value, a) __atomic_fetch_sub(&(a)->counter, (value), __ATOMIC_RELAXED)
#define atomic_fetch_sub_acquire(value, a) __atomic_fetch_sub(&(a)->counter, (value), __ATOMIC_ACQUIRE)
#define atomic_fetch_sub_release(value, a) __atomic_fetch_sub(&(a)->counter, (value), __ATOMIC_RELEASE)
#define atomic_fetch_and(value, a) __atomic_fetch_and(&(a)->counter, (value), __ATOMIC_SEQ_CST)
#define atomic_fetch_and_relaxed(value, a) __atomic_fetch_and(&(a)->counter, (value), __ATOMIC_RELAXED)
#define atomic_fetch_and_acquire(value, a) __atomic_fetch_and(&(a)->counter, (value), __ATOMIC_ACQUIRE)
#define atomic_fetch_and_release(value, a) __atomic_fetch_and(&(a)->counter, (value), __ATOMIC_RELEASE)
#define atomic_fetch_or(value, a) __atomic_fetch_or(&(a)->counter, (value), __ATOMIC_SEQ_CST)
#define atomic_fetch_or_relaxed(value, a) __atomic_fetch_or(&(a)->counter, (value), __ATOMIC_RELAXED)
#define atomic_fetch_or_acquire(value, a) __atomic_fetch_or(&(a)->counter, (value), __ATOMIC_ACQUIRE)
#define atomic_fetch_or_release(value, a) __atomic_fetch_or(&(a)->counter, (value), __ATOMIC_RELEASE)
#define atomic_fetch_xor(value, a) __atomic_fetch_xor(&(a)->counter, (value), __ATOMIC_SEQ_CST)
#define atomic_fetch_xor_relaxed(value, a) __atomic_fetch_xor(&(a)->counter, (value), __ATOMIC_RELAXED)
#define atomic_fetch_xor_acquire(value, a) __atomic_fetch_xor(&(a)->counter, (value), __ATOMIC_ACQUIRE)
#define atomic_fetch_xor_release(value, a) __atomic_fetch_xor(&(a)->counter, (value), __ATOMIC_RELEASE)
#define atomic_inc_return(a) atomic_add_return(1, a)
#define atomic_fetch_inc(a) atomic_fetch_add(1, a)
#define atomic_inc_return_relaxed(a) atomic_add_return_relaxed(1, a)
#define atomic_fetch_inc_relaxed(a) atomic_fetch_add_relaxed(1, a)
#define atomic_inc_return_acquire(a) atomic_add_return_acquire(1, a)
#define atomic_fetch_inc_acquire(a) atomic_fetch_add_acquire(1, a)
#define atomic_inc_return_release(a) atomic_add_return_release(1, a)
#define atomic_fetch_inc_release(a) atomic_fetch_add_release(1, a)
#define atomic_dec_return(a) atomic_sub_return(1, a)
#define atomic_fetch_dec(a) atomic_fetch_sub(1, a)
#define atomic_dec_return_relaxed(a) atomic_sub_return_relaxed(1, a)
#define atomic_fetch_dec_relaxed(a) atomic_fetch_sub_relaxed(1, a)
#define atomic_dec_return_acquire(a) atomic_sub_return_acquire(1, a)
#define atomic_fetch_dec_acquire(a) atomic_fetch_sub_acquire(1, a)
#define atomic_dec_return_release(a) atomic_sub_return_release(1, a)
#define atomic_fetch_dec_release(a) atomic_fetch_sub_release(1, a)

/* Atomics whose result is a question. */
#define atomic_sub_and_test(value, a) (atomic_sub_return(value, a) == 0)
#define atomic_dec_and_test(a) (atomic_sub_return(1, a) == 0)
#define atomic_inc_and_test(a) (atomic_add_return(1, a) == 0)
#define atomic_add_negative(value, a) (atomic_add_return(value, a) < 0)

/* What is one step in the kernel; ravel knows these. */
extern void __lkmm_spin_lock(void *lock);
extern int __lkmm_spin_trylock(void *lock);
extern int __lkmm_add_unless(void *counter, int value, int unless);
extern int __lkmm_add_unless_relaxed(void *counter, int value, int unless);

/* It adds unless it finds a number, and says whether it did. */
#define atomic_add_unless(a, value, unless) __lkmm_add_unless(&(a)->counter, value, unless)
#define atomic_add_unless_relaxed(a, value, unless) __lkmm_add_unless_relaxed(&(a)->counter, value, unless)
#define atomic_inc_not_zero(a) atomic_add_unless(a, 1, 0)

/* Spin locks: a word that is 0 while nobody has it. */
#define spin_lock(lock) __lkmm_spin_lock(&(lock)->locked)
#define spin_trylock(lock) __lkmm_spin_trylock(&(lock)->locked)
#define spin_lock_init(lock) ((void)((lock)->locked = 0))
#define spin_unlock(lock) __atomic_store_n(&(lock)->locked, 0, ravel_order_spin_unlock)
#define spin_is_locked(lock) (__atomic_load_n(&(lock)->locked, __ATOMIC_RELAXED) != 0)
#define spin_unlock_wait(lock) do { spin_lock(lock); spin_unlock(lock); } while (0)
#define raw_spin_lock(lock) spin_lock(lock)
#define raw_spin_unlock(lock) spin_unlock(lock)

/* Read-copy update. */
#define rcu_read_lock() __atomic_thread_fence(ravel_order_rcu_read_lock)
#define rcu_read_unlock() __atomic_thread_fence(ravel_order_rcu_read_unlock)
#define synchronize_rcu() __atomic_thread_fence(ravel_order_synchronize_rcu)
#define synchronize_rcu_expedited() synchronize_rcu()

/* Its sleepable form. To wait for the readers of a structure is a full barrier, which the fence says where nobody else uses the structure. */
#define init_srcu_struct(s) ((s)->index = 0)
#define srcu_read_lock(s) __atomic_load_n(&(s)->index, ravel_order_srcu_read_lock)
#define srcu_read_unlock(s, cookie) __atomic_store_n(&(s)->index, (cookie), ravel_order_srcu_read_unlock)
#define srcu_down_read(s) srcu_read_lock(s)
#define srcu_up_read(s, cookie) srcu_read_unlock(s, cookie)
#define synchronize_srcu(s) do { smp_mb(); (void)__atomic_load_n(&(s)->index, ravel_order_synchronize_srcu); } while (0)
#define synchronize_srcu_expedited(s) synchronize_srcu(s)

#endif
