package shop;

import example.shop.catalog.Book;
import example.shop.catalog.Category;
import example.shop.catalog.Gadget;
import example.shop.catalog.Goods;
import example.shop.catalog.Item;
import example.shop.catalog.Textbook;
import example.shop.common.Money;
import example.shop.common.Session;
import example.shop.common.Status;
import example.shop.forms.Notice;
import example.shop.forms.Shapes;
import example.shop.forms.Values;
import example.shop.orders.Document;
import example.shop.orders.Line;
import example.shop.orders.ListItems;
import example.shop.orders.ListItemsResponse;
import example.shop.orders.NewOrder;
import example.shop.orders.Order;
import example.shop.orders.Problem;
import example.shop.orders.Report;
import example.shop.orders.Review;
import example.shop.wsdl.DuplicateOrder;
import example.shop.wsdl.InvalidOrder;
import example.shop.wsdl.OrderNotFound;
import example.shop.wsdl.Shop;
import jakarta.jws.WebService;
import jakarta.xml.bind.JAXBElement;
import jakarta.xml.ws.Holder;
import java.math.BigDecimal;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.xml.datatype.XMLGregorianCalendar;

/**
 * The shop's operations. Orders that are made, changed or deleted are not kept: the answer depends
 * on the request alone. Only shipments are counted, so that a test can see a one-way call arrive.
 */
@WebService(endpointInterface = "example.shop.wsdl.Shop")
public final class ShopService implements Shop {
    private final Stock stock;
    private final Map<Integer, Integer> shipments = new ConcurrentHashMap<>();

    ShopService(Stock stock) {
        this.stock = stock;
    }

    @Override
    public Order getOrder(int orderId) throws OrderNotFound {
        Trouble.of(orderId);
        return found(orderId);
    }

    private Order found(int orderId) throws OrderNotFound {
        if (stock.hasOrder(orderId)) {
            return stock.order(orderId);
        }
        var detail = new example.shop.orders.OrderNotFound();
        detail.setOrderId(orderId);
        throw new OrderNotFound("no order " + orderId, detail);
    }

    @Override
    public void searchOrders(String customer, List<Status> status, XMLGregorianCalendar placedFrom,
            Integer limit, Holder<Integer> found, Holder<List<Order>> orders) {
        orders.value = new ArrayList<>();
        found.value = 0;
        String first = placedFrom == null ? "" : placedFrom.toXMLFormat();
        for (int id = 1; id <= Stock.ORDERS; id++) {
            Order order = stock.order(id);
            String number = order.getCustomer().getNumber();
            boolean isWanted = (customer == null || number.equals(customer))
                    && (status == null || status.isEmpty() || status.contains(order.getStatus()))
                    && order.getPlaced().toXMLFormat().compareTo(first) >= 0;
            if (isWanted) {
                found.value++;
                if (orders.value.size() < (limit == null ? 10 : limit)) {
                    orders.value.add(order);
                }
            }
        }
    }

    @Override
    public void createOrder(NewOrder order, Session session, Holder<Integer> orderId,
            Holder<Money> total, Holder<String> receipt) throws DuplicateOrder, InvalidOrder {
        if ("DUPLICATE".equals(order.getReference())) {
            throw new DuplicateOrder("this order was made before", order.getReference());
        }
        check(order);
        BigDecimal sum = BigDecimal.ZERO.setScale(2);
        for (Line line : order.getLines().getLine()) {
            sum = sum.add(line.getPrice().getValue());
        }
        orderId.value = 1000 + order.getLines().getLine().size();
        total.value = Stock.money(sum.movePointRight(2).longValue());
        receipt.value =
                session == null ? "nobody" : session.getToken() + " " + session.getLanguage();
    }

    @Override
    public Order updateOrder(int orderId, NewOrder change) throws OrderNotFound, InvalidOrder {
        Order order = found(orderId);
        check(change);
        order.setReference(change.getReference());
        order.setCustomer(change.getCustomer());
        order.setShipTo(change.getShipTo());
        order.setLines(change.getLines());
        order.setCard(change.getCard());
        order.setTransfer(change.getTransfer());
        order.setVoucher(change.getVoucher());
        order.getNote().clear();
        order.getNote().addAll(change.getNote());
        order.setPriority(change.isPriority());
        return order;
    }

    private static void check(NewOrder order) throws InvalidOrder {
        var detail = new example.shop.orders.InvalidOrder();
        if (order.getLines().getLine().isEmpty()) {
            detail.getProblem().add(problem("lines", "is empty"));
        }
        if (order.getCustomer().getName().isEmpty()) {
            detail.getProblem().add(problem("customer/name", "is empty & must not be"));
        }
        if (!detail.getProblem().isEmpty()) {
            throw new InvalidOrder("the order is not valid", detail);
        }
    }

    private static Problem problem(String place, String text) {
        Problem problem = new Problem();
        problem.setPlace(place);
        problem.setValue(text);
        return problem;
    }

    @Override
    public void deleteOrder(int orderId) throws OrderNotFound {
        found(orderId);
    }

    @Override
    public void notifyShipped(int orderId, XMLGregorianCalendar shipped) {
        shipments.merge(orderId, 1, Integer::sum);
    }

    @Override
    public int countShipped(int orderId) {
        return shipments.getOrDefault(orderId, 0);
    }

    @Override
    public ListItemsResponse listItems(ListItems parameters) {
        var elements = new example.shop.catalog.ObjectFactory();
        var response = new ListItemsResponse();
        int limit = parameters.getLimit() == null ? Stock.ITEMS : parameters.getLimit();
        for (int number = 1; number <= Stock.ITEMS && response.getItem().size() < limit; number++) {
            Goods item = stock.item(number);
            String kind = parameters.getKind();
            if (kind == null || item.getClass().getSimpleName().equalsIgnoreCase(kind)) {
                response.getItem().add(element(elements, item));
            }
        }
        return response;
    }

    private static JAXBElement<? extends Item> element(example.shop.catalog.ObjectFactory elements,
            Goods item) {
        if (item instanceof Textbook textbook) {
            return elements.createTextbook(textbook);
        } else if (item instanceof Book book) {
            return elements.createBook(book);
        }
        return elements.createGadget((Gadget) item);
    }

    @Override
    public Item getItem(String sku) {
        Goods item = stock.item(sku);
        if (item == null) {
            throw new IllegalArgumentException("no item " + sku);
        }
        return item;
    }

    @Override
    public Category getCategories(int depth) {
        return stock.category(depth, 1);
    }

    @Override
    public void echoCategories(Holder<Category> category) {
        // The answer is the question.
    }

    @Override
    public void echoValues(Holder<List<Values>> values) {
        // The answer is the question.
    }

    @Override
    public void echoShapes(Holder<Shapes> shapes) {
        // The answer is the question.
    }

    @Override
    public Notice getNotice(int noticeId) {
        var elements = new example.shop.forms.ObjectFactory();
        Notice notice = new Notice();
        notice.getContent().add("Notice " + noticeId + ": closed on ");
        notice.getContent().add(elements.createNoticeEm("Sunday"));
        notice.getContent().add(" & on ");
        notice.getContent().add(elements.createNoticeEm("holidays"));
        notice.getContent().add(".");
        return notice;
    }

    @Override
    public Report getReport(int bytes) {
        return stock.report(bytes);
    }

    @Override
    public void echoReport(Holder<Report> report) {
        // The answer is the question.
    }

    /** The number at the name's end is the length. */
    @Override
    public Document getDocument(String name, Boolean attached) {
        String digits = name.substring(name.lastIndexOf('-') + 1);
        byte[] content = new byte[digits.matches("\\d{1,7}") ? Integer.parseInt(digits) : 1000];
        for (int index = 0; index < content.length; index++) {
            content[index] = (byte) (index * 7 + index / 256);
        }
        if (Boolean.TRUE.equals(attached)) {
            Attached.want();
        }
        Document document = new Document();
        document.setName(name);
        document.setContent(new jakarta.activation.DataHandler(
                new jakarta.mail.util.ByteArrayDataSource(content, "application/octet-stream")));
        return document;
    }

    @Override
    public void storeDocument(Document document, Holder<Integer> length, Holder<byte[]> sha256) {
        try {
            byte[] content = document.getContent().getInputStream().readAllBytes();
            length.value = content.length;
            sha256.value = MessageDigest.getInstance("SHA-256").digest(content);
        } catch (java.io.IOException | NoSuchAlgorithmException fault) {
            throw new IllegalStateException(fault);
        }
    }

    @Override
    public void ping() {
        // That it answers is the answer.
    }

    @Override
    public Review submitReview(Review body) {
        body.getText().add("Thank you.");
        return body;
    }

    @Override
    public int lookupStock(String body) {
        Goods item = stock.item(body);
        return item == null ? 0 : item.getStock();
    }
}
