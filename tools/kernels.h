/* Functions that kernels call and Cython does not have; northrail/kernels/bits.py and signals.py have the
   same in Python. */
#ifndef NORTHRAIL_KERNELS_H
#define NORTHRAIL_KERNELS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(_WIN32)
#include <windows.h>
#define nr_yield() SwitchToThread()
#else
#include <sched.h>
#define nr_yield() sched_yield()
#endif

#define nr_int(x) ((int64_t)(x))
#define nr_float(x) ((double)(x))

#if defined(__GNUC__) || defined(__clang__)
#define nr_popcount(x) ((int64_t)__builtin_popcountll((unsigned long long)(x)))
#define nr_lowest(x) ((int64_t)__builtin_ctzll((unsigned long long)(x)))
#else
static inline int64_t nr_popcount(int64_t word) {
    uint64_t x = (uint64_t)word;
    x = x - ((x >> 1) & 0x5555555555555555ULL);
    x = (x & 0x3333333333333333ULL) + ((x >> 2) & 0x3333333333333333ULL);
    return (int64_t)((((x + (x >> 4)) & 0x0F0F0F0F0F0F0F0FULL) * 0x0101010101010101ULL) >> 56);
}
/* Count the bits below the lowest set bit. */
static inline int64_t nr_lowest(int64_t word) { return nr_popcount((int64_t)(~(uint64_t)word & ((uint64_t)word - 1))); }
#endif

/* Sum the set bits up to each byte with one multiplication, then search the byte that contains the n-th bit. */
static inline int64_t nr_nth_bit(int64_t word, int64_t n) {
    uint64_t x = (uint64_t)word, sums, rest;
    int64_t place;
    sums = x - ((x >> 1) & 0x5555555555555555ULL);
    sums = (sums & 0x3333333333333333ULL) + ((sums >> 2) & 0x3333333333333333ULL);
    sums = ((sums + (sums >> 4)) & 0x0F0F0F0F0F0F0F0FULL) * 0x0101010101010101ULL;
    place = 8 * nr_popcount((int64_t)((((uint64_t)n * 0x0101010101010101ULL | 0x8080808080808080ULL) - sums) &
                                      0x8080808080808080ULL));
    n -= (int64_t)((sums << 8) >> place & 0xFF);
    rest = x >> place;
    while (n-- > 0) rest &= rest - 1;
    return place + nr_lowest((int64_t)rest);
}

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/* Add up eight one-byte counts with one multiplication. Each count and each sum is at most 126. */
static inline int64_t nr_colour_at(const int8_t *counts, int64_t place) {
    uint64_t word, sums;
    memcpy(&word, counts, 8);
    sums = word * 0x0101010101010101ULL;
    return nr_popcount((int64_t)((((uint64_t)place * 0x0101010101010101ULL | 0x8080808080808080ULL) - sums) &
                                 0x8080808080808080ULL));
}
static inline int64_t nr_colours_in(const int8_t *counts) {
    uint64_t word;
    memcpy(&word, counts, 8);
    return (int64_t)((((word + 0x7F7F7F7F7F7F7F7FULL) & 0x8080808080808080ULL) >> 7) * 0x0102040810204080ULL >> 56);
}
/* One multiplication copies a byte into all eight; each copy keeps one bit, moved to the lowest place. The last eight
   bytes may overlap those before. */
static inline void nr_spread_eight(uint8_t *out, uint64_t bits) {
    uint64_t bytes = (bits & 0xFF) * 0x0101010101010101ULL & 0x8040201008040201ULL;
    bytes = (bytes + 0x7F7F7F7F7F7F7F7FULL) >> 7 & 0x0101010101010101ULL;
    memcpy(out, &bytes, 8);
}
static inline void nr_spread_bits(uint8_t *out, int64_t start, int64_t word, int64_t count) {
    int64_t at = 0;
    out += start;
    for (; at + 8 <= count; at += 8) nr_spread_eight(out + at, (uint64_t)word >> at);
    if (count >= 8) {
        nr_spread_eight(out + count - 8, (uint64_t)word >> (count - 8));
    } else {
        for (; at < count; at++) out[at] = (uint8_t)((uint64_t)word >> at & 1);
    }
}
#else
static inline void nr_spread_bits(uint8_t *out, int64_t start, int64_t word, int64_t count) {
    for (int64_t at = 0; at < count; at++) out[start + at] = (uint8_t)((uint64_t)word >> at & 1);
}
static inline int64_t nr_colour_at(const int8_t *counts, int64_t place) {
    int64_t colour = 0;
    while (colour < 8 && place >= counts[colour]) place -= counts[colour++];
    return colour;
}
static inline int64_t nr_colours_in(const int8_t *counts) {
    int64_t found = 0;
    for (int colour = 0; colour < 8; colour++) found |= (int64_t)(counts[colour] > 0) << colour;
    return found;
}
#endif

/* Sequentially consistent: a worker says that it sleeps and then looks for a job, while another thread gives it a job
   and then looks whether it sleeps. At least one of them must see what the other wrote. */
#if defined(__GNUC__) || defined(__clang__)
#define nr_read(word) __atomic_load_n(word, __ATOMIC_SEQ_CST)
#define nr_write(word, value) __atomic_store_n(word, value, __ATOMIC_SEQ_CST)
#else
#define nr_read(word) InterlockedCompareExchange64((volatile LONG64 *)(word), 0, 0)
#define nr_write(word, value) InterlockedExchange64((volatile LONG64 *)(word), value)
#endif
#if defined(__x86_64__) || defined(__i386__)
#define nr_pause() __builtin_ia32_pause()
#elif defined(_WIN32)
#define nr_pause() YieldProcessor()
#elif defined(__aarch64__)
#define nr_pause() __asm__ __volatile__("yield")
#else
#define nr_pause() ((void)0)
#endif

static inline void nr_post(int64_t *words, int64_t at, int64_t value) { nr_write(words + at, value); }

/* Let other threads run now and then: there may be more of them than processors. */
static inline int64_t nr_wait_while(int64_t *words, int64_t at, int64_t value, int64_t tries) {
    int64_t found = nr_read(words + at);
    for (; found == value && tries > 0; tries--) {
        if (tries % 32) nr_pause();
        else nr_yield();
        found = nr_read(words + at);
    }
    return found;
}

#endif
