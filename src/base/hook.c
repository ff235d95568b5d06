/* SPDX-License-Identifier: Apache-2.0 */
/* Test switches read from the environment. */
#include "base/hook.h"

#include <stddef.h>
#include <stdlib.h>

#ifdef ENABLE_TEST_HOOKS
bool hook_is_set(const char *name)
{
	return secure_getenv(name) != NULL;
}
#else
bool hook_is_set(const char *name)
{
	(void)name; /* there is no hook in this build */
	return false;
}
#endif
