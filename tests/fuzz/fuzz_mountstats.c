/* SPDX-License-Identifier: Apache-2.0 */
/* mountstats_find on any text, its first line being the mount point; and the same text as
 * mountinfo, which is cut up by the same functions. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/identity.h"
#include "model/mountstats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_mountstats(const char *text, const char *mount_point)
{
	struct error error = { 0 };
	struct nfs_counters c;
	struct nfs_counters d;

	if (mountstats_find(text, mount_point, &c, &error) < 0) {
		if (error.text[0] == '\0')
			abort();
		return;
	}
	if (mountstats_difference(&c, &c, 0, &d) < 0 || d.server_read_bytes || d.write.operations)
		abort();
}

static void check_mountinfo(const char *text)
{
	struct identity_options options;
	struct identity identity;
	size_t len;

	int r = identity_from_mountinfo(text, 24, &identity);
	if (identity_options_from_mountinfo(text, 24, &options) != r)
		abort();
	if (r < 0)
		return;
	const char *value = identity_find_option(options.fs, "compress", &len);
	if (value && (value < options.fs || value + len > options.fs + strlen(options.fs)))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	check_mountinfo(text);
	char *line = strchr(text, '\n');
	if (line) {
		*line = '\0';
		check_mountstats(line + 1, text);
	}
	free(text);
	return 0;
}
