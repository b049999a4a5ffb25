// Crawls the hosts of the starts with crawler4j and writes url, title, description and text of
// each page as JSON lines: java Crawler4j FILE START ...

import edu.uci.ics.crawler4j.crawler.CrawlConfig;
import edu.uci.ics.crawler4j.crawler.CrawlController;
import edu.uci.ics.crawler4j.crawler.Page;
import edu.uci.ics.crawler4j.crawler.WebCrawler;
import edu.uci.ics.crawler4j.fetcher.PageFetcher;
import edu.uci.ics.crawler4j.parser.HtmlParseData;
import edu.uci.ics.crawler4j.robotstxt.RobotstxtConfig;
import edu.uci.ics.crawler4j.robotstxt.RobotstxtServer;
import edu.uci.ics.crawler4j.url.WebURL;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

public final class Crawler4j extends WebCrawler {
    private static PrintWriter output;
    private static Set<String> hosts;

    public static void main(String[] arguments) throws Exception {
        String[] starts = Arrays.copyOfRange(arguments, 1, arguments.length);
        hosts = Arrays.stream(starts).map(start -> URI.create(start).getHost())
            .collect(Collectors.toSet());
        CrawlConfig config = new CrawlConfig();
        config.setCrawlStorageFolder(Files.createTempDirectory(Path.of("."), "frontier").toString());
        config.setPolitenessDelay(0);
        // It waits three times ten seconds before it believes that it has ended.
        config.setThreadMonitoringDelaySeconds(1);
        config.setThreadShutdownDelaySeconds(1);
        config.setCleanupDelaySeconds(1);
        PageFetcher fetcher = new PageFetcher(config);
        RobotstxtServer robots = new RobotstxtServer(new RobotstxtConfig(), fetcher);
        CrawlController controller = new CrawlController(config, fetcher, robots);
        for (String start : starts) {
            controller.addSeed(start);
        }
        output = new PrintWriter(arguments[0], "UTF-8");
        controller.start(Crawler4j.class, 8);
        output.close();
    }

    @Override
    public boolean shouldVisit(Page referring, WebURL url) {
        return hosts.contains(URI.create(url.getURL()).getHost());
    }

    @Override
    public void visit(Page page) {
        if (page.getParseData() instanceof HtmlParseData data) {
            String line = "{\"url\":" + quoted(page.getWebURL().getURL()) + ",\"title\":"
                + quoted(data.getTitle()) + ",\"description\":"
                + quoted(data.getMetaTagValue("description")) + ",\"body\":"
                + quoted(data.getText()) + "}";
            synchronized (Crawler4j.class) {
                output.println(line);
            }
        }
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char sign : (text == null ? "" : text).toCharArray()) {
            if (sign == '"' || sign == '\\') {
                quoted.append('\\').append(sign);
            } else if (sign < ' ') {
                quoted.append(String.format("\\u%04x", (int) sign));
            } else {
                quoted.append(sign);
            }
        }
        return quoted.append('"').toString();
    }
}
