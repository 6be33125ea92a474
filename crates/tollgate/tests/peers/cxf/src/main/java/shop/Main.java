package shop;

import jakarta.xml.ws.WebServiceException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.logging.LogManager;
import javax.xml.namespace.QName;
import org.apache.cxf.jaxws.EndpointImpl;

/**
 * Serves the contract on a port of 127.0.0.1 (0: a free one), says where in one line, and ends when
 * its standard input does, so that it never outlives the test that started it.
 *
 * <p>Arguments: PORT SHOP.WSDL [validate]. With validate each message
 * of the shop is checked against the schemas.
 */
public final class Main {
    private static final String SERVICE = "http://shop.example/service";
    private static final int TRIES_MAX = 5;

    private Main() {
    }

    public static void main(String[] words) throws IOException {
        // Nothing but the line below is said: CXF logs with Java's own logger, Jetty with slf4j.
        LogManager.getLogManager().reset();
        System.setProperty("slf4j.internal.verbosity", "ERROR");
        int port = Integer.parseInt(words[0]);
        String contract = Path.of(words[1]).toUri().toString();
        boolean isValidating = words.length > 2 && words[2].equals("validate");
        System.out.println("ready " + publishAll(port, contract, isValidating));

        while (System.in.read() >= 0) {
            // Nothing that is said matters.
        }
        Runtime.getRuntime().halt(0);
    }

    /** Publishes both services; returns where. Somebody else may take a port that was free. */
    private static String publishAll(int port, String contract, boolean isValidating)
            throws IOException {
        for (int tries = 1; ; tries++) {
            String url = "http://127.0.0.1:" + (port == 0 ? freePort() : port);
            try {
                publishAt(url, contract, isValidating);
                return url;
            } catch (WebServiceException taken) {
                if (port != 0 || tries == TRIES_MAX) {
                    throw taken;
                }
            }
        }
    }

    private static void publishAt(String url, String contract, boolean isValidating) {
        // A SOAP 1.2 endpoint of CXF answers callers of SOAP 1.1 in their version: one address for
        // both.
        ShopService shop = new ShopService(new Stock());
        publish(shop, "Shop", "ShopSoap12", url + "/shop", contract, isValidating);
        // Not the till: CXF does not resolve the built-in types of rpc parts when it validates.
        publish(new TillService(), "Till", "Till", url + "/till", contract, false);
    }

    private static void publish(Object service, String name, String port, String url,
            String contract, boolean isValidating) {
        EndpointImpl endpoint = new EndpointImpl(service);
        endpoint.setWsdlLocation(contract);
        endpoint.setServiceName(new QName(SERVICE, name));
        endpoint.setEndpointName(new QName(SERVICE, port));
        Map<String, Object> properties = new HashMap<>();
        properties.put("autoRewriteSoapAddressForAllServices", true);
        properties.put("schema-validation-enabled", String.valueOf(isValidating));
        endpoint.setProperties(properties);
        endpoint.getOutInterceptors().add(new Attached());
        endpoint.publish(url);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
