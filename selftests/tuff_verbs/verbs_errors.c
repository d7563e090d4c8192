// SPDX-License-Identifier: GPL-2.0
/* tuff: verbs_errors: bad input of each verb, and what must come of it */
#include "harness.h"

static const struct group groups[] = {
	{ "states", state_tests },
	{ "attributes", attr_tests },
	{ "objects", object_tests },
	{ "local", local_tests },
	{ "remote", remote_tests },
	{ "datagrams", ud_tests },
	{ }
};

int main(int argc, char **argv)
{
	return run_groups(argc, argv, groups);
}
