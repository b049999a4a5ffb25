// Crawls the hosts of the starts with spider and writes url, title, description and text of each
// page as JSON lines: spider-crawl FILE START ...
use std::io::Write;

use scraper::{Html, Selector};
use spider::tokio;
use spider::website::Website;

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let file = std::fs::File::create(arguments.next().unwrap()).unwrap();
    let output = std::sync::Arc::new(std::sync::Mutex::new(std::io::BufWriter::new(file)));
    let mut crawls = Vec::new();
    for start in arguments {
        let output = output.clone();
        crawls.push(tokio::spawn(async move {
            let mut website = Website::new(&start);
            website.with_respect_robots_txt(true).with_delay(0).with_limit(1_000_000);
            let mut pages = website.subscribe(4_096);
            let writing = tokio::spawn(async move {
                while let Ok(page) = pages.recv().await {
                    let line = read(page.get_url(), &page.get_html());
                    writeln!(output.lock().unwrap(), "{line}").unwrap();
                }
            });
            website.crawl().await;
            website.unsubscribe();
            drop(website);
            writing.await.unwrap();
        }));
    }
    for crawl in crawls {
        crawl.await.unwrap();
    }
    output.lock().unwrap().flush().unwrap();
}

fn read(url: &str, html: &str) -> serde_json::Value {
    let document = Html::parse_document(html);
    let first = |query: &str| document.select(&Selector::parse(query).unwrap()).next();
    let text = |query: &str| first(query).map(|e| e.text().collect::<Vec<_>>().join(" "));
    let description = first("meta[name=description]").and_then(|e| e.attr("content"));
    serde_json::json!({
        "url": url, "title": text("title"), "description": description, "body": text("body"),
    })
}
