/* The functions of this folder are declared in <peal/broadcast.h>, <peal/invocation.h> and <peal/status.h>. */
