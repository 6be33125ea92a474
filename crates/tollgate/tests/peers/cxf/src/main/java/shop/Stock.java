package shop;

import example.shop.catalog.Book;
import example.shop.catalog.Category;
import example.shop.catalog.Gadget;
import example.shop.catalog.Goods;
import example.shop.catalog.Shelf;
import example.shop.catalog.Textbook;
import example.shop.common.Address;
import example.shop.common.Currency;
import example.shop.common.Customer;
import example.shop.common.Measure;
import example.shop.common.Money;
import example.shop.common.Status;
import example.shop.common.Unit;
import example.shop.orders.Card;
import example.shop.orders.Line;
import example.shop.orders.Lines;
import example.shop.orders.Order;
import example.shop.orders.Report;
import example.shop.orders.Row;
import example.shop.orders.Voucher;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import javax.xml.datatype.DatatypeConfigurationException;
import javax.xml.datatype.DatatypeFactory;
import javax.xml.datatype.XMLGregorianCalendar;

/**
 * What the shop has: a pure function of numbers, so that each answer is the same each time. The
 * server of npm's soap (node-soap/stock.js) has the same.
 */
final class Stock {
    static final int ITEMS = 12;
    static final int ORDERS = 60;
    /** Bytes of an answer with an empty report, and of a row but for the digits of its number. */
    private static final int REPORT_BYTES = 397;
    private static final int ROW_BYTES = 158;

    private final DatatypeFactory times;

    Stock() {
        try {
            times = DatatypeFactory.newInstance();
        } catch (DatatypeConfigurationException fault) {
            throw new IllegalStateException(fault);
        }
    }

    Goods item(int number) {
        return switch (number % 3) {
            case 1 -> book(new Book(), "BK", "Book", number);
            case 2 -> {
                Textbook textbook = (Textbook) book(new Textbook(), "TB", "Textbook", number);
                textbook.setSubject("Mathematics");
                textbook.setLevel((byte) number);
                yield textbook;
            }
            default -> {
                Gadget gadget = (Gadget) goods(new Gadget(), "GD", "Gadget", number);
                gadget.setVolts(number % 6 == 0 ? null : (short) 230);
                yield gadget;
            }
        };
    }

    /** The item with this code; none is null. */
    Goods item(String sku) {
        for (int number = 1; number <= ITEMS; number++) {
            Goods item = item(number);
            if (item.getSku().equals(sku)) {
                return item;
            }
        }
        return null;
    }

    private Book book(Book book, String code, String kind, int number) {
        goods(book, code, kind, number);
        book.getAuthor().add("Ada Author");
        if (number % 2 == 0) {
            book.getAuthor().add("Ben Writer");
        }
        book.setPublished(time(String.valueOf(2000 + number)));
        book.setIsbn("978-0-00-" + (100000 + number));
        return book;
    }

    private Goods goods(Goods goods, String code, String kind, int number) {
        goods.setSku("%s-%04d".formatted(code, number));
        goods.setName(kind + " " + number + (number % 4 == 0 ? " <Ärger & Co>" : ""));
        goods.getTags().add(code.toLowerCase());
        goods.getTags().add("n" + number);
        Measure weight = new Measure();
        weight.setValue(0.25 * number);
        weight.setUnit(number % 2 == 0 ? Unit.FL_OZ_MORE : Unit.KG);
        goods.setWeight(weight);
        if (number % 5 == 0) {
            goods.setDiscontinued(true);
        }
        goods.setStock(10 * number);
        goods.setMaker(number % 2 == 0 ? "Maker " + number : null);
        return goods;
    }

    boolean hasOrder(int number) {
        return number >= 1 && number <= ORDERS;
    }

    Order order(int number) {
        Order order = new Order();
        order.setReference("R-" + number);
        order.setCustomer(customer(1 + number % 7, number));
        if (number % 4 == 0) {
            order.setShipTo(address("work", number));
        }
        order.setLines(new Lines());
        long cents = 0;
        for (int index = 1; index <= 1 + number % 3; index++) {
            order.getLines().getLine().add(line(number, index));
            cents += 990L * index + number;
        }
        pay(order, number);
        for (int index = 1; index <= number % 4; index++) {
            order.getNote().add("note " + index + " of order " + number + ": 1 < 2 & \"ß\"");
        }
        if (number % 10 == 0) {
            order.setPriority(true);
        }
        order.setId(number);
        order.setPlaced(time("2026-01-%02dT08:00:00Z".formatted(1 + number % 28)));
        order.setStatus(Status.values()[number % 3]);
        if (order.getStatus() == Status.DELIVERED) {
            order.setDelivered(time("2026-02-%02d".formatted(1 + number % 28)));
        }
        order.setTotal(money(cents));
        if (number % 2 == 1) {
            order.setChanged(time("2026-03-01T00:00:00.250Z"));
        }
        if (number % 3 == 0) {
            order.setBy("clerk " + number);
        }
        return order;
    }

    private Customer customer(int customer, int number) {
        Customer made = new Customer();
        made.setNumber("C" + customer);
        made.setName("Customer " + customer);
        made.setEMail(customer == 1 ? null : "c" + customer + "@shop.example");
        if (number % 2 == 0) {
            made.getAddress().add(address("home", number));
        }
        if (number % 6 == 0) {
            made.getAddress().add(address(null, number + 1));
        }
        return made;
    }

    private Address address(String kind, int number) {
        Address address = new Address();
        address.getLine().add(number + " Main Street");
        if (number % 4 == 0) {
            address.getLine().add("c/o Nobody");
        }
        address.setPostcode(number % 3 == 0 ? null : "%05d".formatted(number));
        address.setCity("Sankt Veit");
        address.setKind(kind);
        return address;
    }

    private Line line(int number, int index) {
        Line line = new Line();
        line.setNumber(BigInteger.valueOf(index));
        line.setProduct(item(1 + (number + index) % ITEMS));
        line.setQuantity(index == 3 ? "half" : String.valueOf(index));
        line.setPrice(money(990L * index + number));
        if (index == 1 && number % 5 == 0) {
            line.getPart().add(line(number + 1, 2));
            line.getPart().add(line(number + 1, 3));
        }
        return line;
    }

    private void pay(Order order, int number) {
        switch (number % 3) {
            case 0 -> {
                Card card = new Card();
                card.setNumber("4111-" + (1000 + number));
                card.setExpires(time("2028-12"));
                card.setBrand("Plastic");
                order.setCard(card);
            }
            case 1 -> order.setTransfer("AT" + (100000 + number));
            default -> {
                Voucher voucher = new Voucher();
                voucher.setValue("V" + number);
                voucher.setPin(number % 2 == 0 ? "0" + number : null);
                order.setVoucher(voucher);
            }
        }
    }

    Category category(int depth, int id) {
        Category category = new Category();
        category.setId(id);
        category.setTitle("Level " + depth);
        if (depth > 0) {
            category.getCategory().add(category(depth - 1, 2 * id));
            category.getCategory().add(category(depth - 1, 2 * id + 1));
            Shelf shelf = new Shelf();
            shelf.setPlace("A" + id);
            shelf.setHolds(category(0, 1000 + id));
            category.getShelf().add(shelf);
        }
        return category;
    }

    /** A report whose answer in SOAP 1.1 has about so many bytes. */
    Report report(int bytes) {
        Report report = new Report();
        int left = bytes - REPORT_BYTES;
        List<Row> rows = new ArrayList<>();
        for (int number = 1; left >= rowBytes(number); number++) {
            left -= rowBytes(number);
            rows.add(row(number));
        }
        report.setTitle(".".repeat(Math.max(left, 0)));
        report.getRow().addAll(rows);
        return report;
    }

    private static int rowBytes(int number) {
        return ROW_BYTES + String.valueOf(number).length();
    }

    private Row row(int number) {
        Row row = new Row();
        row.setNumber(number);
        row.setDay(time("2026-%02d-%02d".formatted(1 + number % 12, 1 + number % 28)));
        row.setSku("BK-%04d".formatted(number % 10000));
        row.setSold(100 + number % 900);
        row.setTurnover(money(10_000L + number % 90_000));
        return row;
    }

    static Money money(long cents) {
        Money money = new Money();
        money.setValue(BigDecimal.valueOf(cents, 2));
        money.setCurrency(Currency.EUR);
        return money;
    }

    XMLGregorianCalendar time(String text) {
        return times.newXMLGregorianCalendar(text);
    }
}
