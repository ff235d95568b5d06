/* SPDX-License-Identifier: Apache-2.0 */
/* Workloads, devices and histograms as single values of a column. */
#include "store/code.h"

#include <errno.h>

#include "base/buf.h"
#include "base/compress.h"
#include "base/error.h"
#include "base/json.h"
#include "model/device.h"
#include "model/histogram.h"
#include "model/workload.h"
#include "store/code_bins.h"

#define OPTION_TEXT_MAX 256
#define COMPRESS_LEVEL 9

enum encoding {
	ENCODING_PLAIN = 0,
	ENCODING_ZLIB = 1, /* what code_bins cannot encode */
	ENCODING_BINS = 2,
};

int code_workload(const struct workload *w, struct buf *b)
{
	struct workload configured = *w;
	struct buf value = BUF_INIT(OPTION_TEXT_MAX);
	struct json_t *object = json_new_object();
	const struct workload_option *option;
	int r = 0;

	configured.file_size_bytes = 0;
	for (size_t i = 0; (option = workload_option_at(i)); i++) {
		if (!option->is_available)
			continue;
		buf_clear(&value);
		(void)workload_get(&configured, option->key, &value); /* the key exists */
		if (value.error < 0 && r == 0)
			r = value.error;
		json_add_text(object, option->key, buf_text(&value));
	}
	buf_done(&value);
	if (r < 0) {
		json_free(object);
		return r;
	}
	return json_dump(object, false, b);
}

static int read_options(const struct json_t *object, struct workload *w, struct error *reterr)
{
	const struct workload_option *option;

	*w = workload_preset_default()->workload;
	w->preset[0] = '\0';
	/* In the order of the table: preset, the first, resets all others. */
	for (size_t i = 0; (option = workload_option_at(i)); i++) {
		const char *value = json_get_text(object, option->key);
		if (!value || value[0] == '\0' || !option->is_available)
			continue;
		int r = workload_set(w, option->key, value, reterr);
		if (r < 0)
			return r;
	}
	return 0;
}

int code_read_workload(const char *text, size_t len, struct workload *ret, struct error *reterr)
{
	struct json_t *object = NULL;
	int r = json_parse(text, len, &object, reterr);

	if (r == 0)
		r = read_options(object, ret, reterr);
	json_free(object);
	if (r < 0 && r != -ENOMEM)
		return error_prefix(reterr, -EUCLEAN, "workload");
	return r;
}

int code_device(const struct device_info *device, struct buf *b)
{
	return json_dump(device_to_json(device), false, b);
}

int code_read_device(const char *text, size_t len, struct device_info *ret)
{
	struct json_t *object = NULL;
	int r = json_parse(text, len, &object, NULL);

	if (r == 0)
		r = device_from_json(object, ret);
	json_free(object);
	return r == -EINVAL ? -EUCLEAN : r;
}

static int deflate(const struct histogram *h, struct buf *b)
{
	struct buf plain = BUF_INIT(HISTOGRAM_ENCODED_MAX);
	struct buf deflated = BUF_INIT(CODE_HISTOGRAM_MAX);

	histogram_encode(h, &plain);
	int r = plain.error;
	if (r == 0)
		r = compress_zlib(plain.data, plain.len, COMPRESS_LEVEL, &deflated);
	if (r == 0 && deflated.len < plain.len) {
		buf_add_u8(b, ENCODING_ZLIB);
		buf_add(b, deflated.data, deflated.len);
	} else if (r == 0) {
		buf_add_u8(b, ENCODING_PLAIN);
		buf_add(b, plain.data, plain.len);
	}
	buf_done(&plain);
	buf_done(&deflated);
	return r < 0 ? r : b->error;
}

int code_histogram(const struct histogram *h, struct buf *b)
{
	size_t before = b->len;

	buf_add_u8(b, ENCODING_BINS);
	int r = code_bins(h, b);
	if (r != -ERANGE)
		return r;
	b->len = before;
	return deflate(h, b);
}

static int inflate(const uint8_t *data, size_t len, struct histogram *ret, struct error *reterr)
{
	struct buf plain = BUF_INIT(HISTOGRAM_ENCODED_MAX);

	int r = compress_unzlib(data, len, &plain);
	if (r == 0)
		r = histogram_decode((const uint8_t *)plain.data, plain.len, ret, reterr);
	else
		(void)error_set(reterr, r, "cannot be inflated"); /* r goes on */
	buf_done(&plain);
	return r;
}

int code_read_histogram(const void *data, size_t len, struct histogram *ret, struct error *reterr)
{
	const uint8_t *bytes = data;
	int r = error_set(reterr, -EBADMSG, "unknown encoding");

	if (len > 0 && bytes[0] == ENCODING_PLAIN)
		r = histogram_decode(bytes + 1, len - 1, ret, reterr);
	else if (len > 0 && bytes[0] == ENCODING_ZLIB)
		r = inflate(bytes + 1, len - 1, ret, reterr);
	else if (len > 0 && bytes[0] == ENCODING_BINS)
		r = code_read_bins(bytes + 1, len - 1, ret, reterr);
	if (r < 0 && r != -ENOMEM)
		return error_prefix(reterr, -EUCLEAN, "histogram");
	return r;
}
