// Runs before the page is painted, so that a chosen theme does not flash. Without a choice, or
// without scripts, the system's preference counts.
try {
  const theme = localStorage.getItem("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // A browser that keeps nothing has no choice to remember.
}

// What is arranged in another way where scripts cannot help is not seen to jump either.
document.documentElement.dataset.scripts = "";
