/* SPDX-License-Identifier: Apache-2.0 */
/* Handlers of content in memory: the page and its files, /metrics, /-/healthy and /-/ready. */
#ifndef REPOPROBE_HTTP_PAGES_H
#define REPOPROBE_HTTP_PAGES_H

#include <microhttpd.h>

struct request;

enum MHD_Result pages_index(struct request *q);
enum MHD_Result pages_asset(struct request *q);
enum MHD_Result pages_metrics(struct request *q);
enum MHD_Result pages_healthy(struct request *q);
enum MHD_Result pages_ready(struct request *q);

#endif
