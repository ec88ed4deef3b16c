// A program that is compiled without optimisation uses the optimised module. The deinitializers of its values run too.
import Peal

final class Account: Sendable {}

struct Mismatch: Error {
    let line: UInt
}

func expect(_ condition: Bool, line: UInt = #line) throws {
    if !condition { throw Mismatch(line: line) }
}

@main enum Program {
    static func main() throws {
        let center = try Center()
        let service = try center.register(Account.self) { _ in Account() }
        do {
            let use = try center.use(Account.self)
            let other = try service.use()
            try expect(use.instance === other.instance)
            try expect(try service.removeInstance() == .pending)
        }
        do {
            let (use, object) = (try center.get(Account.self), try service.get())
            try expect(use.instance === object.instance)
        }
        try expect(try service.removeInstance() == .complete)
        print("all held")
    }
}
