/* The functions of this folder are declared in <peal/broadcast.h> and <peal/status.h>. */
