import Peal

@PealProtocol("Chat")
public protocol Chat {
    func onMessage(in room: String, _ text: String)
    @PealMethod(policy: .every, since: 2) func mayEnter(who: String) -> Bool
}
