package shop;

import java.io.StringReader;
import javax.xml.namespace.QName;
import javax.xml.stream.XMLStreamException;
import org.apache.cxf.binding.soap.SoapFault;
import org.apache.cxf.interceptor.Fault;
import org.apache.cxf.staxutils.StaxUtils;
import org.w3c.dom.Element;

/** Faults that the contract does not declare, each by the number of an order. */
final class Trouble {
    private static final String DETAIL = """
            <detail><t:shelf xmlns:t="urn:shop:trouble" t:side="left">B &amp; C</t:shelf>\
            <t:hint xmlns:t="urn:shop:trouble"><t:retry>false</t:retry></t:hint></detail>""";

    private Trouble() {
    }

    static void of(int orderId) {
        switch (orderId) {
            // A bug: what CXF makes of an exception.
            case 500 -> throw new IllegalStateException("the shelf fell over");
            // The server's fault, with two elements of detail that no schema knows.
            case 501 -> {
                SoapFault fault = new SoapFault("the shelf is full", Fault.FAULT_CODE_SERVER);
                fault.setDetail(detail());
                throw fault;
            }
            // The caller's fault, without detail; in SOAP 1.2 with a subcode.
            case 502 -> {
                SoapFault fault =
                        new SoapFault("nobody may see order 502", Fault.FAULT_CODE_CLIENT);
                fault.setSubCode(new QName("urn:shop:trouble", "NotYours", "t"));
                fault.setRole("urn:shop:clerk");
                throw fault;
            }
            default -> {
                // No trouble.
            }
        }
    }

    private static Element detail() {
        try {
            return StaxUtils.read(new StringReader(DETAIL)).getDocumentElement();
        } catch (XMLStreamException fault) {
            throw new IllegalStateException(fault);
        }
    }
}
