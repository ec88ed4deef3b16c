// A program in Swift that loads a plugin written in C. Both use one center.
import CHouse
import Peal

let center = Center.default

// A service of Swift, which C gets by the protocol "Journal".
try check(journal_define(center.handle, nil))
try center.register(Journal.self, provides: [Provision("Journal", Journal.table)]) { _ in Journal() }

// C broadcasts this, and Swift answers with a service of C.
let observation = try center.observe(Thermometer.onReading) { room, celsius in
    do {
        let use = try center.anyService(providing: "Units").use(of: "Units", as: units.self)
        print("Swift: the \(room) has \(use.table.fahrenheit(use.pointer, celsius)) degrees Fahrenheit")
    } catch {
        print("Swift: \(error)")
    }
}

let plugin = try Plugin(path: CommandLine.arguments.dropFirst().first ?? "./plugin.so", in: center)
for (room, celsius) in [("bath", 22.5), ("kitchen", 19.5)] {
    print("Swift: wants the \(room) at \(celsius) degrees")
    try center.broadcast(Heating.onTarget, room, celsius)
}
print("Swift: the plugin is \(try plugin.unload() ? "unloaded" : "still at work")")
try center.broadcast(Heating.onTarget, "hall", 18)
print("Swift: the journal has \(try center.with(Journal.self) { $0.count }) lines")
