"""What a search asks. `onnx.OnnxEvaluator` plays with the files that training writes."""
