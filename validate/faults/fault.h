/* Failures on demand, for tests only: the n-th call of a kind fails, or a signal comes just before it.
 *
 * The environment variable FAULT is KIND:N or KIND:N:ERROR (an errno name or a signal of fault.c, or a
 * number), with a plus behind N for all later calls, too (a disk that is full stays full). When the
 * process ends, the calls of every kind are written to the file that FAULT_COUNTS names, a line
 * each: KIND, calls, failures. FAULT_LOG names a file that gets a line for each fsync, rename and unlink that succeeds, in their
 * order: the call and its paths. The file that FAULT_PLACES names has a line for each call for memory, the same for
 * calls from the same place: by the same functions, at the same lines. */
#ifndef PAISING_FAULT_H
#define PAISING_FAULT_H

typedef enum {
    FAULT_MALLOC, /* also calloc, realloc, aligned_alloc */
    FAULT_OPEN,   /* also fopen, opendir, mkstemp */
    FAULT_WRITE,
    FAULT_FSYNC,
    FAULT_CLOSE,
    FAULT_RENAME,
    FAULT_UNLINK, /* also rmdir */
    FAULT_MKDIR,
    FAULT_READDIR,
    FAULT_THREAD,
    FAULT_CUDA_MALLOC, /* device and pinned memory */
    FAULT_CUDA_LAUNCH,
    FAULT_CUDA_COPY,  /* also memset */
    FAULT_CUDA_WAIT,  /* waiting for the device: where errors of running kernels arrive */
    FAULT_CUDA_QUERY, /* questions to the device, and what is set or made there without memory */
    FAULT_CUDA_ANY,   /* every call of the runtime */
    FAULT_KINDS
} fault_kind;

/* Calls are counted from here on. */
void fault_begin(void);

/* Counts a call. Returns 0, or the error that it is to fail with; errno is then the same. */
int fault_due(fault_kind kind);

/* Writes a call into the log; `to`: NULL, or its second path. */
void fault_log(const char *call, const char *path, const char *to);

#endif
