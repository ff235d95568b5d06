# SPDX-License-Identifier: Apache-2.0
dist_man_MANS = %D%/man/repoprobe.1 %D%/man/repoprobe.conf.5 %D%/man/repoprobed.8
