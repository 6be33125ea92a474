package shop;

import org.apache.cxf.interceptor.AttachmentOutInterceptor;
import org.apache.cxf.message.Message;
import org.apache.cxf.phase.AbstractPhaseInterceptor;
import org.apache.cxf.phase.Phase;
import org.apache.cxf.phase.PhaseInterceptorChain;

/** Sends the answer as MTOM, binary content in parts of their own, where the operation asked so. */
final class Attached extends AbstractPhaseInterceptor<Message> {
    private static final String WANTED = "shop.attached";

    Attached() {
        super(Phase.PRE_STREAM);
        addBefore(AttachmentOutInterceptor.class.getName());
    }

    /** To be called by the operation. */
    static void want() {
        PhaseInterceptorChain.getCurrentMessage().getExchange().put(WANTED, Boolean.TRUE);
    }

    @Override
    public void handleMessage(Message message) {
        if (message.getExchange().containsKey(WANTED)) {
            message.put(Message.MTOM_ENABLED, Boolean.TRUE);
        }
    }
}
