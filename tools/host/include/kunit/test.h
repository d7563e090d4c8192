/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tuff: KUnit's interface on the host, as far as the tests use it
 *
 * An adapter, no framework: the files in tests/ are written for the kernel's
 * KUnit of 6.1, and this runs them as a program that prints KTAP.
 */
#ifndef _TUFF_HOST_KUNIT_TEST_H
#define _TUFF_HOST_KUNIT_TEST_H

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <linux/compiler.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/types.h>

#define KUNIT_PARAM_DESC_SIZE	128
#define GFP_KERNEL		0

struct kunit_allocation;

struct kunit {
	void *priv;
	const char *name;
	const void *param_value;

	/* private: the adapter's */
	bool failed;
	bool skipped;
	const char *indent;
	struct kunit_allocation *allocations;
	jmp_buf abort;
};

struct kunit_case {
	void (*run_case)(struct kunit *test);
	const char *name;
	const void *(*generate_params)(const void *prev, char *desc);
};

struct kunit_suite {
	const char name[256];
	int (*init)(struct kunit *test);
	void (*exit)(struct kunit *test);
	struct kunit_case *test_cases;

	/* private: the adapter's */
	struct kunit_suite *next;
};

#define KUNIT_CASE(fn)		{ .run_case = fn, .name = #fn }
#define KUNIT_CASE_PARAM(fn, gen)					\
	{ .run_case = fn, .name = #fn, .generate_params = gen }

#define KUNIT_ARRAY_PARAM(id, array, get_desc)				\
static const void *id##_gen_params(const void *prev, char *desc)	\
{									\
	__typeof__((array)[0]) *__next =				\
		prev ? (__typeof__(__next))prev + 1 : (array);		\
	void (*__get_desc)(__typeof__(__next), char *) = get_desc;	\
									\
	if (__next - (array) >= (long)ARRAY_SIZE(array))		\
		return NULL;						\
	if (__get_desc)							\
		__get_desc(__next, desc);				\
	return __next;							\
}

void tuff_kunit_register(struct kunit_suite *suite);

/* One suite a file, as in the kernel's one module a file. */
#define kunit_test_suite(suite)						\
static void __attribute__((__constructor__)) tuff_kunit_add(void)	\
{									\
	tuff_kunit_register(&(suite));					\
}									\
static void __attribute__((__constructor__)) tuff_kunit_add(void)

void *kunit_kmalloc(struct kunit *test, size_t size, int gfp);
void *kunit_kzalloc(struct kunit *test, size_t size, int gfp);

__printf(2, 3) void kunit_info(struct kunit *test, const char *fmt, ...);
__printf(2, 3) void kunit_skip(struct kunit *test, const char *fmt, ...);

/* Print a failure; @abort leaves the case. */
__printf(5, 6) void tuff_kunit_fail(struct kunit *test, const char *file,
				    int line, bool abort, const char *fmt, ...);

#define TUFF_KUNIT_FAIL(test, abort, fmt, ...)				\
	tuff_kunit_fail(test, __FILE__, __LINE__, abort, fmt, ##__VA_ARGS__)

#define KUNIT_FAIL(test, fmt, ...)					\
	TUFF_KUNIT_FAIL(test, false, fmt, ##__VA_ARGS__)

#define TUFF_KUNIT_BOOL(test, abort, cond, want, fmt, ...) do {		\
	bool __cond = (cond);						\
									\
	if (__cond != (want))						\
		TUFF_KUNIT_FAIL(test, abort, "Expected %s to be %s. " fmt, \
				#cond, (want) ? "true" : "false",	\
				##__VA_ARGS__);				\
} while (0)

#define TUFF_KUNIT_INT(test, abort, left, op, right, fmt, ...) do {	\
	__auto_type __left = (left);					\
	__auto_type __right = (right);					\
	if (!(__left op __right))					\
		TUFF_KUNIT_FAIL(test, abort,				\
				"Expected %s %s %s, but left is %lld (%#llx), right is %lld (%#llx). " fmt, \
				#left, #op, #right,			\
				(long long)__left, (long long)__left,	\
				(long long)__right, (long long)__right,	\
				##__VA_ARGS__);				\
} while (0)

#define TUFF_KUNIT_PTR(test, abort, left, op, right, fmt, ...) do {	\
	const void *__left = (left);					\
	const void *__right = (right);					\
	if (!(__left op __right))					\
		TUFF_KUNIT_FAIL(test, abort,				\
				"Expected %s %s %s, but left is %p, right is %p. " fmt, \
				#left, #op, #right, __left, __right,	\
				##__VA_ARGS__);				\
} while (0)

#define TUFF_KUNIT_STR(test, abort, left, op, right, fmt, ...) do {	\
	const char *__left = (left);					\
	const char *__right = (right);					\
	if (!(strcmp(__left, __right) op 0))				\
		TUFF_KUNIT_FAIL(test, abort,				\
				"Expected %s %s %s, but left is \"%s\", right is \"%s\". " fmt, \
				#left, #op, #right, __left, __right,	\
				##__VA_ARGS__);				\
} while (0)

#define KUNIT_EXPECT_TRUE(t, c)		TUFF_KUNIT_BOOL(t, false, c, true, "")
#define KUNIT_EXPECT_FALSE(t, c)	TUFF_KUNIT_BOOL(t, false, c, false, "")
#define KUNIT_EXPECT_EQ(t, l, r)	TUFF_KUNIT_INT(t, false, l, ==, r, "")
#define KUNIT_EXPECT_NE(t, l, r)	TUFF_KUNIT_INT(t, false, l, !=, r, "")
#define KUNIT_EXPECT_LT(t, l, r)	TUFF_KUNIT_INT(t, false, l, <, r, "")
#define KUNIT_EXPECT_LE(t, l, r)	TUFF_KUNIT_INT(t, false, l, <=, r, "")
#define KUNIT_EXPECT_GT(t, l, r)	TUFF_KUNIT_INT(t, false, l, >, r, "")
#define KUNIT_EXPECT_GE(t, l, r)	TUFF_KUNIT_INT(t, false, l, >=, r, "")
#define KUNIT_EXPECT_PTR_EQ(t, l, r)	TUFF_KUNIT_PTR(t, false, l, ==, r, "")
#define KUNIT_EXPECT_PTR_NE(t, l, r)	TUFF_KUNIT_PTR(t, false, l, !=, r, "")
#define KUNIT_EXPECT_STREQ(t, l, r)	TUFF_KUNIT_STR(t, false, l, ==, r, "")
#define KUNIT_EXPECT_STRNEQ(t, l, r)	TUFF_KUNIT_STR(t, false, l, !=, r, "")

#define KUNIT_EXPECT_TRUE_MSG(t, c, fmt, ...)				\
	TUFF_KUNIT_BOOL(t, false, c, true, fmt, ##__VA_ARGS__)
#define KUNIT_EXPECT_FALSE_MSG(t, c, fmt, ...)				\
	TUFF_KUNIT_BOOL(t, false, c, false, fmt, ##__VA_ARGS__)
#define KUNIT_EXPECT_EQ_MSG(t, l, r, fmt, ...)				\
	TUFF_KUNIT_INT(t, false, l, ==, r, fmt, ##__VA_ARGS__)
#define KUNIT_EXPECT_NE_MSG(t, l, r, fmt, ...)				\
	TUFF_KUNIT_INT(t, false, l, !=, r, fmt, ##__VA_ARGS__)
#define KUNIT_EXPECT_LE_MSG(t, l, r, fmt, ...)				\
	TUFF_KUNIT_INT(t, false, l, <=, r, fmt, ##__VA_ARGS__)
#define KUNIT_EXPECT_PTR_EQ_MSG(t, l, r, fmt, ...)			\
	TUFF_KUNIT_PTR(t, false, l, ==, r, fmt, ##__VA_ARGS__)
#define KUNIT_EXPECT_STREQ_MSG(t, l, r, fmt, ...)			\
	TUFF_KUNIT_STR(t, false, l, ==, r, fmt, ##__VA_ARGS__)

#define KUNIT_ASSERT_TRUE(t, c)		TUFF_KUNIT_BOOL(t, true, c, true, "")
#define KUNIT_ASSERT_FALSE(t, c)	TUFF_KUNIT_BOOL(t, true, c, false, "")
#define KUNIT_ASSERT_EQ(t, l, r)	TUFF_KUNIT_INT(t, true, l, ==, r, "")
#define KUNIT_ASSERT_NE(t, l, r)	TUFF_KUNIT_INT(t, true, l, !=, r, "")
#define KUNIT_ASSERT_LE(t, l, r)	TUFF_KUNIT_INT(t, true, l, <=, r, "")
#define KUNIT_ASSERT_GE(t, l, r)	TUFF_KUNIT_INT(t, true, l, >=, r, "")
#define KUNIT_ASSERT_PTR_EQ(t, l, r)	TUFF_KUNIT_PTR(t, true, l, ==, r, "")
#define KUNIT_ASSERT_PTR_NE(t, l, r)	TUFF_KUNIT_PTR(t, true, l, !=, r, "")
#define KUNIT_ASSERT_TRUE_MSG(t, c, fmt, ...)				\
	TUFF_KUNIT_BOOL(t, true, c, true, fmt, ##__VA_ARGS__)
#define KUNIT_ASSERT_EQ_MSG(t, l, r, fmt, ...)				\
	TUFF_KUNIT_INT(t, true, l, ==, r, fmt, ##__VA_ARGS__)
#define KUNIT_ASSERT_NOT_ERR_OR_NULL(t, ptr)				\
	TUFF_KUNIT_BOOL(t, true, !IS_ERR_OR_NULL(ptr), true, "")

#endif /* _TUFF_HOST_KUNIT_TEST_H */
