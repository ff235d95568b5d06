/* SPDX-License-Identifier: Apache-2.0 */
/* The page's files, embedded at build time by web/embed.sh: each as it is and gzipped. */
#ifndef REPOPROBE_HTTP_ASSETS_H
#define REPOPROBE_HTTP_ASSETS_H

struct asset {
	const char *name; /* "app.mjs" */
	const unsigned char *data;
	const unsigned char *data_end;
	const unsigned char *gzip;
	const unsigned char *gzip_end;
};

/* Made by web/embed.sh: ends with a row whose name is NULL. */
extern const struct asset assets[];
/* Hash over all of them; the assets lie at "/a/HASH/NAME", so they may be kept for ever. */
extern const char assets_hash[];

/* Lent for ever, or NULL. */
const struct asset *assets_find(const char *name);
/* "HASH/NAME"; NULL also when the hash is another build's. */
const struct asset *assets_find_hashed(const char *path);

/* Media type from the name's end. */
const char *assets_type(const char *name);

#endif
