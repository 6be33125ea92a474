package lab;

import java.util.UUID;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.GlobalFilter;
import org.springframework.core.Ordered;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Gives each call an id that the back end, the caller and the log see. The first of all filters. */
@Component
public class RequestId implements GlobalFilter, Ordered {
  static final String NAME = "X-Request-Id";

  @Override
  public int getOrder() {
    return Ordered.HIGHEST_PRECEDENCE;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
    String id = UUID.randomUUID().toString();
    exchange.getResponse().getHeaders().set(NAME, id);
    return chain.filter(exchange.mutate().request(request -> request.header(NAME, id)).build());
  }
}
