// Whether the kernel that made the app still hears it. The app lives in one process: after a restart, asked for or
// because the process died, the new one knows nothing of it, and only running the cell makes another.
const KERNEL_ENDS = new Set(["restarting", "autorestarting", "terminating", "dead"]);

// Calls changed(false) when the line is lost and changed(true) when it is back; gives a function that stops watching.
// ipywidgets tells its own views of a restart by a class, but not of a death, and anywidget unhooks its views from it:
// so the kernel itself is asked. A host whose widgets have no such kernel, as Colab or a page of nbconvert, never tells.
function watchKernel(model, changed) {
  const manager = model.widget_manager;
  const kernel = manager?.kernel;
  if (manager && "kernel" in manager && !kernel) changed(false); // a saved notebook that was opened without one
  if (!kernel?.statusChanged) return () => {};
  let [gone, connected] = [false, true];
  const look = () => {
    const live = !gone && kernel.connectionStatus === "connected";
    if (live !== connected) changed((connected = live));
  };
  const onStatus = (_, status) => {
    gone ||= KERNEL_ENDS.has(status);
    look();
  };
  const onDisposed = () => onStatus(kernel, "dead");
  kernel.statusChanged.connect(onStatus);
  kernel.connectionStatusChanged.connect(look);
  kernel.disposed.connect(onDisposed);
  look();
  return () => {
    kernel.statusChanged.disconnect(onStatus);
    kernel.connectionStatusChanged.disconnect(look);
    kernel.disposed.disconnect(onDisposed);
  };
}

