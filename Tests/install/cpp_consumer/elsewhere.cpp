// A second file of the program, so that the header's functions are in two files.
#include "program.hpp"

#include <iostream>
#include <stdexcept>

peal::observation observe_elsewhere(const chat &chat)
{
    return chat.observe(peal::on("on_text", [](std::string_view text) {
        std::cout << "elsewhere: " << text << "\n";
        throw std::runtime_error("and throws");
    }));
}
