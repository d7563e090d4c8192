#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tuff: rdma-core's own Python tests: nothing fails
. "$(dirname "$0")/../lib/tuff_lib.sh"

TESTS=/usr/share/doc/rdma-core/tests

ktap_print_header
ktap_set_plan 1
ktap_test_skip "not yet"
ktap_finished
