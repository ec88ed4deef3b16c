/* A shared object that is no plugin. */
int logcast_plugin_misspelled(void);

int logcast_plugin_misspelled(void) { return 0; }
