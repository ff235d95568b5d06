/* SPDX-License-Identifier: Apache-2.0 */
/* Switches for the project's own tests, which only a build with --enable-test-hooks has. */
#ifndef REPOPROBE_BASE_HOOK_H
#define REPOPROBE_BASE_HOOK_H

#include <stdbool.h>

/* Whether this name is in the environment. In other builds: never. */
bool hook_is_set(const char *name);

#endif
