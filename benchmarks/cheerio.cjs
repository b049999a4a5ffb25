// The plain spider with crawlee's Cheerio crawler: node cheerio.cjs MODULES FILE START ...
// Requests wait in memory, the quickest of its storages.
const { createWriteStream } = require("node:fs");
const { createRequire } = require("node:module");

const [modules, file, ...starts] = process.argv.slice(2);
const { CheerioCrawler } = createRequire(`${modules}/`)("@crawlee/cheerio");
const output = createWriteStream(file);

const crawler = new CheerioCrawler({
  respectRobotsTxtFile: true,
  async requestHandler({ request, $, enqueueLinks }) {
    await enqueueLinks();
    const line = {
      url: request.loadedUrl,
      title: $("title").text(),
      description: $('meta[name="description"]').attr("content"),
      body: $("body").text(),
    };
    output.write(`${JSON.stringify(line)}\n`);
  },
});

crawler.run(starts).then(() => output.end());
