# SPDX-License-Identifier: Apache-2.0
# One convenience library a layer; each main() alone is a program's own source.
include src/base/sources.mk
include src/model/sources.mk
include src/alarm/sources.mk
include src/config/sources.mk
include src/probe/sources.mk
include src/wire/sources.mk
include src/store/sources.mk
include src/report/sources.mk
include src/supervise/sources.mk
include src/worker/sources.mk
include src/notify/sources.mk
include src/http/sources.mk
include src/core/sources.mk
include src/daemon/sources.mk
include src/cli/sources.mk
