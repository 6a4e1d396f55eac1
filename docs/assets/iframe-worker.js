// Search from a folder: browsers start no worker for pages that are opened as files, so its script runs in a hidden frame.
(() => {
  if (location.protocol !== "file:") return;

  class FrameWorker extends EventTarget {
    constructor(address) {
      super();
      this.onmessage = null;
      const frame = document.createElement("iframe");
      frame.hidden = true;
      this.inside = frame;
      this.ready = new Promise((loaded) => {
        frame.addEventListener("load", () => {
          const page = frame.contentDocument;
          frame.contentWindow.postMessage = (data) => this.tell(data);
          const script = page.createElement("script");
          script.src = new URL(address, location.href).href;
          script.onload = loaded;
          script.onerror = () => this.dispatchEvent(new Event("error"));
          page.body.append(script);
        }, { once: true });
      });
      const root = document.documentElement;
      root.append(frame);
    }

    tell(data) {
      const event = new MessageEvent("message", { data });
      if (this.onmessage) this.onmessage(event);
      this.dispatchEvent(event);
    }

    postMessage(data) {
      this.ready.then(() => this.inside.contentWindow.dispatchEvent(new MessageEvent("message", { data })));
    }

    terminate() {
      this.inside.remove();
    }
  }

  window.Worker = FrameWorker;
})();
