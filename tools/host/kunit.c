// SPDX-License-Identifier: GPL-2.0
/* tuff: runs the suites linked into this program and prints KTAP */
#include <kunit/test.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One of its own for each, so that ASan sees every byte past the end. */
struct kunit_allocation {
	struct kunit_allocation *next;
	void *memory;
};

static struct kunit_suite *suites;

/* Kept in order of name: the order of linking is nobody's. */
void tuff_kunit_register(struct kunit_suite *suite)
{
	struct kunit_suite **at = &suites;

	while (*at && strcmp((*at)->name, suite->name) < 0)
		at = &(*at)->next;
	suite->next = *at;
	*at = suite;
}

void *kunit_kzalloc(struct kunit *test, size_t size, int gfp)
{
	void *memory = kunit_kmalloc(test, size, gfp);

	return memset(memory, 0, size);
}

void *kunit_kmalloc(struct kunit *test, size_t size, int gfp)
{
	struct kunit_allocation *allocation = malloc(sizeof(*allocation));

	(void)gfp;
	if (!allocation)
		abort();
	allocation->memory = malloc(size);
	if (!allocation->memory)
		abort();
	allocation->next = test->allocations;
	test->allocations = allocation;
	return allocation->memory;
}

static void free_allocations(struct kunit *test)
{
	struct kunit_allocation *allocation;

	while ((allocation = test->allocations)) {
		test->allocations = allocation->next;
		free(allocation->memory);
		free(allocation);
	}
}

void kunit_info(struct kunit *test, const char *fmt, ...)
{
	va_list args;

	printf("%s# %s: ", test->indent, test->name);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
}

void kunit_skip(struct kunit *test, const char *fmt, ...)
{
	va_list args;

	printf("%s# %s: skipped: ", test->indent, test->name);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
	test->skipped = true;
	longjmp(test->abort, 1);
}

void tuff_kunit_fail(struct kunit *test, const char *file, int line,
		     bool leave, const char *fmt, ...)
{
	va_list args;

	test->failed = true;
	printf("%s# %s: FAILED at %s:%d: ", test->indent, test->name, file,
	       line);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
	if (leave)
		longjmp(test->abort, 1);
}

static void result(const char *indent, bool failed, int nr, const char *name,
		   bool skipped)
{
	printf("%s%s %d %s%s\n", indent, failed ? "not ok" : "ok", nr, name,
	       skipped ? " # SKIP" : "");
	fflush(stdout);
}

static void run(struct kunit_suite *suite, struct kunit_case *kase,
		struct kunit *test)
{
	if (setjmp(test->abort))
		goto out;
	if (suite->init && suite->init(test)) {
		KUNIT_FAIL(test, "init of the suite failed");
		return;
	}
	kase->run_case(test);
out:
	/* An assertion in exit() comes back here a second time. */
	if (suite->exit && !setjmp(test->abort))
		suite->exit(test);
	free_allocations(test);
}

static bool run_params(struct kunit_suite *suite, struct kunit_case *kase)
{
	char desc[KUNIT_PARAM_DESC_SIZE] = "";
	const void *param = NULL;
	bool failed = false;
	int nr = 0;

	printf("        KTAP version 1\n        # Subtest: %s\n", kase->name);
	while ((param = kase->generate_params(param, desc))) {
		struct kunit test = {
			.name = kase->name,
			.param_value = param,
			.indent = "        ",
		};

		if (!desc[0])
			snprintf(desc, sizeof(desc), "param-%d", nr);
		run(suite, kase, &test);
		result("        ", test.failed, ++nr, desc, test.skipped);
		failed |= test.failed;
		desc[0] = '\0';
	}
	printf("        1..%d\n", nr);
	return failed;
}

static bool run_suite(struct kunit_suite *suite)
{
	struct kunit_case *kase;
	bool failed = false;
	int nr = 0;

	for (kase = suite->test_cases; kase->run_case; kase++)
		nr++;
	printf("    KTAP version 1\n    # Subtest: %s\n    1..%d\n",
	       suite->name, nr);
	nr = 0;
	for (kase = suite->test_cases; kase->run_case; kase++) {
		struct kunit test = { .name = kase->name, .indent = "    " };

		if (kase->generate_params)
			test.failed = run_params(suite, kase);
		else
			run(suite, kase, &test);
		result("    ", test.failed, ++nr, kase->name, test.skipped);
		failed |= test.failed;
	}
	return failed;
}

/* Arguments name suites, with or without the "tuff_"; none: all of them. */
static bool wanted(const struct kunit_suite *suite, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (!strcmp(suite->name, argv[i]) ||
		    (!strncmp(suite->name, "tuff_", 5) &&
		     !strcmp(suite->name + 5, argv[i])))
			return true;
	return argc == 1;
}

int main(int argc, char **argv)
{
	struct kunit_suite *suite;
	bool failed = false;
	bool bad;
	int nr = 0;

	for (suite = suites; suite; suite = suite->next)
		nr += wanted(suite, argc, argv);
	if (!nr) {
		fprintf(stderr, "no such suite; there are:");
		for (suite = suites; suite; suite = suite->next)
			fprintf(stderr, " %s", suite->name);
		fprintf(stderr, "\n");
		return 2;
	}

	printf("KTAP version 1\n1..%d\n", nr);
	nr = 0;
	for (suite = suites; suite; suite = suite->next) {
		if (!wanted(suite, argc, argv))
			continue;
		bad = run_suite(suite);
		result("", bad, ++nr, suite->name, false);
		failed |= bad;
	}
	return failed;
}
