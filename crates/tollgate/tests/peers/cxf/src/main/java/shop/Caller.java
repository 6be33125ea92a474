package shop;

import example.shop.common.Session;
import example.shop.orders.NewOrder;
import example.shop.orders.Order;
import example.shop.orders.Report;
import example.shop.wsdl.OrderNotFound;
import example.shop.wsdl.Shop;
import jakarta.xml.ws.Holder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.logging.LogManager;
import org.apache.cxf.endpoint.Client;
import org.apache.cxf.frontend.ClientProxy;
import org.apache.cxf.helpers.IOUtils;
import org.apache.cxf.interceptor.StaxOutInterceptor;
import org.apache.cxf.io.CacheAndWriteOutputStream;
import org.apache.cxf.io.CachedOutputStream;
import org.apache.cxf.io.CachedOutputStreamCallback;
import org.apache.cxf.message.Message;
import org.apache.cxf.phase.AbstractPhaseInterceptor;
import org.apache.cxf.phase.Phase;

/**
 * Calls the shop by its WSDL and keeps each message as it went over the wire, in files
 * NAME.request.xml and NAME.response.xml.
 *
 * <p>Arguments: URL of the WSDL, 1.1 or 1.2, folder, and then HTTP headers, each NAME=VALUE.
 */
public final class Caller {
    private final Shop shop;
    private final Path folder;
    private String name;

    private Caller(Shop shop, Path folder) {
        this.shop = shop;
        this.folder = folder;
        Client client = ClientProxy.getClient(shop);
        client.getOutInterceptors().add(new Sent());
        client.getInInterceptors().add(new Received());
    }

    public static void main(String[] words) throws Exception {
        LogManager.getLogManager().reset();
        System.setProperty("slf4j.internal.verbosity", "ERROR");
        var service = new example.shop.service.Shop(URI.create(words[0]).toURL());
        Shop shop = words[1].equals("1.2") ? service.getShopSoap12() : service.getShopSoap11();
        Map<String, List<String>> headers = new TreeMap<>();
        for (int index = 3; index < words.length; index++) {
            String[] header = words[index].split("=", 2);
            headers.put(header[0], List.of(header[1]));
        }
        ClientProxy.getClient(shop).getRequestContext().put(Message.PROTOCOL_HEADERS, headers);
        new Caller(shop, Files.createDirectories(Path.of(words[2]))).call();
        Runtime.getRuntime().halt(0);
    }

    private void call() throws Exception {
        name = "stock";
        shop.lookupStock("BK-0001");
        name = "order";
        Order order = shop.getOrder(20);
        name = "update";
        shop.updateOrder(20, changed(order));
        name = "create";
        Session session = new Session();
        session.setToken("token");
        shop.createOrder(changed(order), session, new Holder<>(), new Holder<>(), new Holder<>());
        for (int bytes : new int[] {400, 3000, 5000, 100_000}) {
            name = "report-" + bytes;
            Report report = shop.getReport(bytes);
            name = "echo-" + bytes;
            shop.echoReport(new Holder<>(report));
        }
        name = "fault";
        try {
            shop.getOrder(77);
        } catch (OrderNotFound fault) {
            return;
        }
        throw new IllegalStateException("order 77 was found");
    }

    private static NewOrder changed(Order order) {
        NewOrder change = new NewOrder();
        change.setReference(order.getReference());
        change.setCustomer(order.getCustomer());
        change.setShipTo(order.getShipTo());
        change.setLines(order.getLines());
        change.setVoucher(order.getVoucher());
        change.getNote().addAll(order.getNote());
        change.setPriority(order.isPriority());
        return change;
    }

    private void keep(String kind, byte[] bytes) {
        try {
            Files.write(folder.resolve(name + "." + kind + ".xml"), bytes);
        } catch (IOException fault) {
            throw new UncheckedIOException(fault);
        }
    }

    private final class Sent extends AbstractPhaseInterceptor<Message>
            implements CachedOutputStreamCallback {
        private Sent() {
            super(Phase.PRE_STREAM);
            addBefore(StaxOutInterceptor.class.getName());
        }

        @Override
        public void handleMessage(Message message) {
            OutputStream plain = message.getContent(OutputStream.class);
            CacheAndWriteOutputStream both = new CacheAndWriteOutputStream(plain);
            both.registerCallback(this);
            message.setContent(OutputStream.class, both);
        }

        @Override
        public void onFlush(CachedOutputStream stream) {
            // Only the whole counts.
        }

        @Override
        public void onClose(CachedOutputStream stream) {
            try {
                keep("request", stream.getBytes());
            } catch (IOException fault) {
                throw new UncheckedIOException(fault);
            }
        }
    }

    private final class Received extends AbstractPhaseInterceptor<Message> {
        private Received() {
            super(Phase.RECEIVE);
        }

        @Override
        public void handleMessage(Message message) {
            try (InputStream stream = message.getContent(InputStream.class)) {
                byte[] bytes = IOUtils.readBytesFromStream(stream);
                keep("response", bytes);
                message.setContent(InputStream.class, new ByteArrayInputStream(bytes));
            } catch (IOException fault) {
                throw new UncheckedIOException(fault);
            }
        }
    }
}
