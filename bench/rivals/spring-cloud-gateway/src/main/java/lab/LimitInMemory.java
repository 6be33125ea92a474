package lab;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.cloud.gateway.filter.ratelimit.RateLimiter;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;

/** So many calls of an application a minute, which begins with its first call. */
@Component
public class LimitInMemory implements RateLimiter<Void> {
  private static final long WINDOW_NANOS = 60_000_000_000L;

  private final Map<String, Window> windows = new ConcurrentHashMap<>();
  private final long limit;

  LimitInMemory(@Value("${lab.limit}") long limit) {
    this.limit = limit;
  }

  @Override
  public Mono<Response> isAllowed(String route, String application) {
    long left = windows.computeIfAbsent(application, it -> new Window()).take(limit);
    Map<String, String> headers = Map.of("RateLimit-Remaining", Long.toString(Math.max(left, 0)));
    return Mono.just(new Response(left >= 0, headers));
  }

  @Override
  public Map<String, Void> getConfig() {
    return Map.of();
  }

  @Override
  public Class<Void> getConfigClass() {
    return Void.class;
  }

  @Override
  public Void newConfig() {
    return null;
  }

  private static final class Window {
    private long began = System.nanoTime();
    private long used;

    /** What is left after one more call; below 0 where it is one too many. */
    synchronized long take(long limit) {
      long now = System.nanoTime();
      if (now - began >= WINDOW_NANOS) {
        began = now;
        used = 0;
      }
      used += 1;
      return limit - used;
    }
  }
}
