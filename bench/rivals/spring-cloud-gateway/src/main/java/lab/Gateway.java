package lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.context.annotation.Bean;
import reactor.core.publisher.Mono;
import reactor.netty.http.server.logging.AccessLog;

/** What Spring Cloud Gateway lacks to do a gateway's work: keys and a log of calls. */
@SpringBootApplication
public class Gateway {
  public static void main(String[] arguments) {
    SpringApplication.run(Gateway.class, arguments);
  }

  /** The application of a call's key; nothing, which is refused with 401, where nobody has it. */
  @Bean
  KeyResolver applications(@Value("${lab.keys}") Path file) throws IOException {
    List<String> keys = Files.readAllLines(file);
    Map<String, Mono<String>> applications = new HashMap<>(keys.size() * 2);
    for (String key : keys) {
      applications.put(key, Mono.just("application-" + (applications.size() + 1)));
    }
    return exchange -> {
      String key = exchange.getRequest().getHeaders().getFirst("apikey");
      return applications.getOrDefault(key, Mono.empty());
    };
  }

  /** A line for each call; logback-spring.xml says where it goes. */
  @Bean
  WebServerFactoryCustomizer<NettyReactiveWebServerFactory> accessLog() {
    return factory -> factory.addServerCustomizers(server -> server.accessLog(true, call ->
        AccessLog.create("{} {} {} {} {} {}", call.responseHeader(RequestId.NAME), call.status(),
            call.method(), call.uri(), call.contentLength(), call.duration())));
  }
}
