// The declarations that both files of the program share.
#ifdef USE_PEAL_DL
#include <peal/peal-dl.h>
#endif
#include <peal/peal.hpp>

struct chat : peal::protocol {
    static constexpr const char *protocol_name = "Chat";
    peal::method<void(std::string_view)> on_text{ peal::required, "on_text" };
    peal::method<int(int)> weigh{ peal::optional, "weigh", "sum" };
};

peal::observation observe_elsewhere(const chat &chat);
