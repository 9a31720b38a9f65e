"""What a page is asked for in the browser: each script returns a list of what is wrong, in words."""

# Elements that reach over the window's edge, but for those inside a box that scrolls or cuts.
OVERFLOW = """() => {
  const width = document.documentElement.clientWidth;
  const boxed = element => {
    for (let box = element.parentElement; box && box !== document.body; box = box.parentElement)
      if (["auto", "scroll", "hidden", "clip"].includes(getComputedStyle(box).overflowX)) return true;
    return false;
  };
  const found = [...document.querySelectorAll("#content *")]
    .filter(element => element.getBoundingClientRect().right > width + 1 && !boxed(element))
    .map(element => `${element.tagName}.${element.className} reaches ${element.getBoundingClientRect().right}`);
  if (document.documentElement.scrollWidth > width) found.push(`the page scrolls to ${document.documentElement.scrollWidth}`);
  return found;
}"""

# Controls without a name: a screen reader, or a voice, has no word for them.
NAMELESS = """() => {
  const text = id => document.getElementById(id)?.textContent.trim();
  const named = element =>
    element.getAttribute("aria-label")?.trim()
    || element.title
    || element.querySelector(":scope > [title]")?.title
    || element.getAttribute("aria-labelledby")?.split(" ").some(text)
    || [...(element.labels || [])].some(label => label.textContent.trim() || label.querySelector("img")?.alt)
    || (element.type === "submit" && element.value)
    || (["A", "BUTTON", "SUMMARY"].includes(element.tagName)
        && (element.textContent.trim() || element.querySelector("img[alt]")?.alt));
  return [...document.querySelectorAll("#content :is(a[href], button, input, select, textarea, summary)")]
    .filter(element => element.type !== "hidden" && element.checkVisibility() && !named(element))
    .map(element => element.outerHTML.slice(0, 200));
}"""

# Texts whose contrast to what is behind them is below 4.5 to 1.
PALE = """() => {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const rgba = colour => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const over = (top, under) => top.slice(0, 3).map((part, i) => (part * top[3] + under[i] * (255 - top[3])) / 255);
  const behind = element => {
    if (!element) return [255, 255, 255];
    const own = rgba(getComputedStyle(element).backgroundColor);
    return own[3] === 255 ? own.slice(0, 3) : over(own, behind(element.parentElement));
  };
  const light = colour => colour.map(part => part / 255)
    .map(part => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
  const found = [];
  const texts = document.createTreeWalker(document.querySelector("#content"), NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    const words = texts.currentNode.textContent.trim();
    if (!words || !element.checkVisibility() || element.closest(":disabled, option, script")) continue;
    const under = behind(element);
    const [one, two] = [light(over(rgba(getComputedStyle(element).color), under)), light(under)];
    const contrast = (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
    if (contrast < 4.5) found.push(`${contrast.toFixed(2)} to 1: ${words.slice(0, 60)}`);
  }
  return found;
}"""
