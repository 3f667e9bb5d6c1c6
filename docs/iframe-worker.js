// Lets the search work when the book is opened from a folder: browsers start no worker there, so its script runs in a hidden frame.
// The theme would fetch a script for this from elsewhere, unless one of this name is there.
(() => {
  if (location.protocol !== "file:") return;

  const load = (frame, url) =>
    new Promise((resolve, reject) => {
      const script = frame.contentDocument.createElement("script");
      script.src = url;
      script.onload = resolve;
      script.onerror = reject;
      frame.contentDocument.body.append(script);
    });

  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      inside.importScripts = (...urls) =>
        urls.reduce((before, one) => before.then(() => load(this.frame, new URL(one, url).href)), Promise.resolve());
      this.ready = load(this.frame, url);
    }

    postMessage(data) {
      this.ready.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })));
    }

    terminate() {
      this.frame.remove();
    }
  };
})();
