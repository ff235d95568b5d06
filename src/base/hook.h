/* SPDX-License-Identifier: Apache-2.0 */
/* Switches for the project's own tests; only in builds with --enable-test-hooks. */
#ifndef REPOPROBE_BASE_HOOK_H
#define REPOPROBE_BASE_HOOK_H

#include <stdbool.h>

/* Whether this name is in the environment. Always false in other builds. */
bool hook_is_set(const char *name);

#endif
