package shop;

import example.shop.common.Money;
import example.shop.orders.Line;
import example.shop.till.Till;
import example.shop.till.TillClosed;
import jakarta.jws.WebService;
import jakarta.xml.ws.Holder;
import java.math.BigInteger;

/** The till, rpc/literal. Tills from 100 on are closed. */
@WebService(endpointInterface = "example.shop.till.Till")
public final class TillService implements Till {
    private static final int CLOSED = 100;

    @Override
    public int openTill(String cashier, Money change) {
        return cashier.length();
    }

    @Override
    public int addSale(int tillId, Holder<Line> line, String[] tags) throws TillClosed {
        check(tillId);
        line.value.setNumber(line.value.getNumber().add(BigInteger.ONE));
        return tags == null ? 0 : tags.length;
    }

    @Override
    public void closeTill(int tillId) throws TillClosed {
        check(tillId);
    }

    private static void check(int tillId) throws TillClosed {
        if (tillId >= CLOSED) {
            throw new TillClosed("till " + tillId + " is closed", tillId);
        }
    }
}
