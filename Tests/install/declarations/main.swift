// Uses the declarations that are generated from chat.h.
import Peal

let center = try Center()
let observations = [
    try center.observe(Chat.onMessage) { room, text in print("\(room): \(text ?? "nothing")") },
    try center.observe(Chat.onSamples) { samples in print("\(samples)") },
]
try center.broadcast(Chat.onMessage, "lobby", "good morning")
try center.broadcast(Chat.onMessage, "lobby", nil)
try center.broadcast(Chat.onSamples, [0.5, 1])
withExtendedLifetime(observations) {}
