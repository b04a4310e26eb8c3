/*
 * trace.h - the verbs of k3-trace, a file each
 */
#ifndef K3_TOOLS_TRACE_H
#define K3_TOOLS_TRACE_H

int trace_cache(int argc, char *argv[]);
int trace_disk(int argc, char *argv[]);
int trace_plot(int argc, char *argv[]);
int trace_report(int argc, char *argv[]);
int trace_split(int argc, char *argv[]);
int trace_stat(int argc, char *argv[]);

#endif
