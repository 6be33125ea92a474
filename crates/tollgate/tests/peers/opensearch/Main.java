import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.http.HttpServerTransport;
import org.opensearch.node.Node;
import org.opensearch.transport.Netty4Plugin;

/** A node of OpenSearch on a free port, with its data in the given folder: prints `ready URL`. */
public final class Main {
  private static final class Single extends Node {
    Single(Settings settings) {
      super(new Environment(settings, null), List.of(Netty4Plugin.class), false);
    }

    int port() {
      HttpServerTransport http = injector().getInstance(HttpServerTransport.class);
      return http.boundAddress().publishAddress().getPort();
    }
  }

  public static void main(String[] words) throws Exception {
    Path home = Path.of(words[0]);
    Files.createDirectories(home.resolve("config"));
    Settings settings =
        Settings.builder()
            .put("path.home", home)
            .put("node.name", "single")
            .put("discovery.type", "single-node")
            .put("network.host", "127.0.0.1")
            .put("http.port", "0")
            .put("transport.port", "0")
            .put("http.type", "netty4")
            .put("transport.type", "netty4")
            .build();
    Single node = new Single(settings);
    node.start();
    System.out.println("ready http://127.0.0.1:" + node.port());
    Thread.currentThread().join();
  }
}
