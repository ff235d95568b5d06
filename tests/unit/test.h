/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka with the headers it needs before it, once, in the order that clang-format would break. */
#ifndef REPOPROBE_TESTS_UNIT_TEST_H
#define REPOPROBE_TESTS_UNIT_TEST_H

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */

#endif
