# SPDX-License-Identifier: GPL-2.0
"""The parts of tools/vm/lab, one job per module."""
