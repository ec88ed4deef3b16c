/// The ways in which a change is told: the methods of a property's protocol, in order.
enum PropertyWay: UInt32, CaseIterable {
    case changed, values, prior, record
}
